"""Measures of the picture. Rooms are in heights of a line of text (lines) unless they say pixels."""

from __future__ import annotations

from typing import Final

from kernels.launch import WARP_SIZE

# --- cells, in pixels: digits are 0.46 of a cell high, and as wide as 0.6 of their height -------------------------

LABELLED_CELL: Final = 34.0
"""Threads are drawn in cells of the result of this width: an index of 9 px and a value of 13 px fit."""

LABELLED_WIDE: Final = (1.44, 1.22)
"""Widths of the cells of matrices in their heights that are tried where squares of that width are too high."""

TALL: Final = 0.83
TALL_COST: Final = 1.17
"""Width of cells in their heights that is tried where rows of arrays would leave a part of the height free, and cost of
such cells in costs of squares of their height: squares that are as wide cost a little more, wider ones less."""

LABEL_CELL: Final = 21.0
"""A thread of this height has one label; lower ones are dots."""

LONG_LABEL_CELL: Final = 29.0
"""A square thread of this side has room for a label of several coordinates, such as (0,1)."""

NARROW_THREAD: Final = 17.0
"""A thread of this width has room for an index of two digits."""

READ_CELL: Final = 28.0
"""Digits in a cell of this height are 13 px high, which the last row of a lecture hall reads; with an index above them
they fill it."""

NUMBERED_CELL: Final = 16.0
"""A cell of this side has room for two small digits."""

THREE_DIGITS: Final = 20.45
"""A cell of this width has room for three small digits."""

UNREAD_CELL: Final = 6.0
"""Threads without a frame, dots on the result, cost as much as a cell of this side: their states are hard to see."""

SEEN_CELL: Final = 6.0
"""A cell of this side can be told from its neighbours; from it on, cells are whole pixels."""

PARTED_CELL: Final = 10.0
"""Rows of a strip with lower cells have no room between them, which would be most of the picture."""

ENOUGH_CELL: Final = 46.0
"""Digits of a larger cell are no easier to read: only the filled area grows."""

LARGEST_CELL: Final = 120.0
"""Largest cell: digits of a third of it are the largest text of a slide."""

LARGEST_INSIDE: Final = 52.0
"""Largest cell of a frame's contents, which are a detail of the picture."""

TILE: Final = ((34.0, 49.0), (24.0, 36.0))
"""Least height and width of a thread in the lens: with its index and a value of seven digits, or with one of them."""

VALUE_WIDTH: Final = 54.0
"""A value of seven digits fits a cell of this width."""

MEMBER_WIDTH: Final = 110.0
"""A value under the name of a struct's member fits a cell of this width."""

WINDOW_WIDTH: Final = 200.0
"""A result of seven digits that the last row reads fits a cell of this width, in a window of a matrix."""

WIDER: Final = (3.0, 2.4, 2.0, 1.7, 1.44, 1.2)
"""Widths of cells in their heights that are tried where values need room and cells get no lower by it."""

USUAL_LINE: Final = 18.0
"""Height of a line of text in pixels for which sizes of threads are; with larger text they are larger."""

CELLS: Final = (*(float(n) for n in range(int(LARGEST_CELL), 5, -1)), 5.5, 5.0, 4.5, 4.0, 3.5, 3.0, 2.5, 2.0, 1.5, 1.0)
"""Heights of cells in pixels that are tried, the largest first; the last one is taken even if it does not fit."""

# --- text ---------------------------------------------------------------------------------------------------------

LINES: Final = (36.0, 18.0)
"""Width and height of the picture, at least: larger text would leave no room for cells."""

LEAST_LINE: Final = 16.0
LEAST_CROWDED_LINE: Final = 13.0
"""Pixels to which a line is reduced where cells are too small, and where they do not fit or cannot be told apart."""

SMALLER_LINE: Final = 0.85
"""Step of that reduction."""

WORTH: Final = 1.2
"""Growth of the smallest cell for which smaller text is accepted."""

TITLE_LETTER: Final = 0.8
DETAIL_LETTER: Final = 0.5
"""Width of a letter of a title, which is bold, and of its smaller detail."""

# --- margins of the picture ----------------------------------------------------------------------------------------

EDGE: Final = 0.5
"""Between the edge of the picture, or of a part of it, and its contents."""

SIDE_MARGIN: Final = 0.8
"""Left and right of everything: more than above, as titles and numbers begin there."""

LEGEND: Final = 1.4
LEGEND_MARGIN: Final = 0.3
"""Height of the legend, and of the room below it."""

COLUMN_GAP: Final = 1.5
"""Between arrays or requests and a column of words on their right."""

# --- rooms around arrays ------------------------------------------------------------------------------------------

HEAD: Final = 2.5
"""Above an array: its title and the numbers of its columns."""

TITLE_TOP: Final = 2.4
TITLE_HEIGHT: Final = 1.3
"""Upper edge of a title above its array, and its height: the rest of the room is for the numbers."""

MAP: Final = (1.3, 2.6)
MAP_PART: Final = 5.0
"""Greatest height and width of the map of a matrix of which a part is shown, in the room of its title; least side of
the part on it, pixels."""

GUTTER: Final = 1.7
"""Left of an array: the numbers of its rows, of two digits."""

DIGIT: Final = 0.52
"""Width of each further digit of such a number."""

GUTTER_DIGITS: Final = 2
"""Digits of a row's number that fit into the gutter."""

GAP: Final = 1.0
"""Between arrays side by side."""

SLICE_HEAD: Final = 2.2
SLICE_GAP: Final = 0.8
"""Above a slice, for its title and the numbers of its columns; between slices side by side."""

NUMBERS: Final = 1.05
"""Above a row of a strip: the indices of its elements."""

NARROW: Final = 0.3
"""Between rows of a strip that have no indices."""

NUMBERED_ROWS: Final = 4
PARTED_ROWS: Final = 12
"""Rows of a strip in a frame up to which all have indices, and up to which they are apart."""

WARP_TITLE: Final = 0.75
"""Above a row of threads that is a warp: its name."""

# --- strips -------------------------------------------------------------------------------------------------------

LARGEST_STRIP_CELL: Final = 72.0
"""Largest cell of a strip, pixels: a few elements in a row as large as the picture would hide that they are a row."""

WIDEST_STRIP_CELL: Final = 1.8
"""Width of a cell in heights, at most; four times as wide if cells are too low for numbers."""

MARKS: Final = 1.15
"""Above a row of threads: the names of blocks and warps."""

STRIP_APART: Final = 0.35
STRIP_TITLE: Final = 1.35
"""Above a strip, and there for its title if that is not on its left."""

TITLES_ASIDE: Final = 0.24
"""Share of the width that titles on the left of strips take at most; longer ones are above."""

STRIP_RIGHT: Final = 1.0
"""Right of a strip: the mark of a row that is continued."""

STRIP_MARGIN: Final = 0.6
"""Left of titles, which may lie in a frame."""

TALL_THREAD: Final = 1.8
"""Height of a thread above its element that holds a value in addition to its index, in cells."""

FEW_RESULTS: Final = 8
RESULT_WIDTH: Final = 60.0
WIDE_RESULT: Final = 2.5
"""Elements up to which a result has wider cells, as a sum over a block has more digits than what it is made of; their
width, pixels, and in widths of other cells, at most."""

# --- frames -------------------------------------------------------------------------------------------------------

FRAME_HEAD: Final = 1.7
"""Above the contents of a frame: its heading."""

HEADING_LEFT: Final = 0.7
HEADING_BASE: Final = 1.25
"""Left edge and baseline of the heading in its frame."""

FRAME_PAD: Final = 0.6
"""Between a frame and its contents, and between frames."""

HEADINGS: Final = {"shared": 8.5, "threads": 8.0, "local": 11.0}
"""Width of each frame's shortest heading."""

ASIDE_HEIGHT: Final = 6.0
"""Height of contents up to which a heading may be left of them: next to higher ones it would leave a frame empty."""

FILLED: Final = 0.75
"""Share of a frame's width that its contents take, if need be with wider cells: with less it looks empty."""

INNER_GUTTER: Final = 1.4
"""Left of an array in a frame: numbers of rows, of one or two digits."""

INNER_GAP: Final = 1.2
"""Between arrays in a frame."""

SINGLE: Final = 0.9
"""Growth of a single element, which has no number of a column above it."""

AXES_LINES: Final = 2.0
"""Left of threads: the names of their axes; half of it on their right: numbers of warps."""

THREADS_HEAD: Final = 0.3
"""Above threads, which have no title."""

LENS_WORDS: Final = 1.3
LENS_LETTER: Final = 0.36
"""Below a lens: which threads it shows; width of a letter of these words."""

APART: Final = 0.4
"""Between arrays and a frame above or below them."""

# --- points and printed lines -------------------------------------------------------------------------------------

PLANE_SHARES: Final = (0.42, 0.36, 0.31, 0.27)
"""Shares of the width that the plane takes, the smaller ones to leave arrays the room for their numbers."""

PLANE_WIDTH: Final = 1.15
"""Width of the plane in heights of the picture, at most: points of a wider one would be far apart in one direction."""

PLANE_AXIS: Final = 1.2
"""The name of an axis."""

PLANE_INSET: Final = 1.7
PLANE_ABOVE: Final = 0.7
PLANE_BELOW: Final = 0.5
"""Between the frame and the outermost points, whose marks are not to touch it; shares of it above and below them, where
the names of the axes are."""

CENTRE_ROW: Final = 1.25
CENTRES_SHARE: Final = 0.5
"""Height of a centre's row, and share of the picture's height that all rows take at most."""

POINT_REACH: Final = 0.7
"""Distance from the centre of an object within which it is pointed at."""

POINT_RADIUS: Final = (0.32, 0.12)
MANY_POINTS: Final = 500
"""Radius of an object, of a few and of many; objects from which on they are as small as they get."""

PRINTED_SHARE: Final = 0.46
PRINTED_WIDTH: Final = 30.0
"""Width of printed lines, as a share of the picture and in lines: the launch next to them needs the other half."""

# --- rows of strips, blocks and launches ---------------------------------------------------------------------------

FOLDED: Final = 1.4
"""Ratio of width to height that folded launches and slices get: that of the room for them."""

TALL_BLOCK: Final = (16, 4)
"""A block with more rows than the first, and than the second times its columns, is folded."""

STRIP_PICTURE: Final = (780.0, 500.0)
"""Width and height in pixels, without margins, of the picture for which rows of strips are chosen: the least usual one,
as rows must not change with the window."""

STRIP_BOX: Final = 0.4
"""Share of that height that shared memory takes."""

STRIP_ROWS: Final = (8, 16, WARP_SIZE, 2 * WARP_SIZE, 4 * WARP_SIZE, 8 * WARP_SIZE)
"""Elements in a row that are tried: parts of a warp, or whole ones."""

# --- a warp --------------------------------------------------------------------------------------------------------

WARP_HEAD: Final = 1.9
"""Above the table or the requests: their title."""

TABLE_BANDS: Final = (1, 2, 4)
"""Bands of the table that are tried: fewer lanes in each have larger text."""

TABLE_LABEL: Final = 12
TABLE_LABEL_SHARE: Final = 0.3
"""Letters of the longest label of a row, and share of the width that labels take at most."""

TABLE_LETTER: Final = 0.55
"""Average width of a letter, in heights of the text."""

TABLE_DIGITS: Final = 4.2
"""Width of a column, in letters: a number with four digits."""

TABLE_TEXT: Final = 1.15
"""Largest text of the table: larger than the picture's own as it is all there is."""

TABLE_ROW: Final = 1.45
HIGHEST_ROW: Final = 1.6
WIDEST_COLUMN: Final = 1.3
"""Height of a row, in heights of its text; growth of rows and columns where there is room."""

TABLE_ARCS: Final = 3.0
"""Above the table: arrows between lanes, only where the run shuffles."""

TABLE_TITLE: Final = 1.4
"""Of the room above the table, the part without arrows."""

BAND_APART: Final = 0.5
"""Between bands of the table, in rows."""

ENOUGH_TEXT: Final = 0.85
ENOUGH_TEXT_PX: Final = 14.0
"""Share of the largest text, or pixels, from which two branches are shown instead of one."""

CARD_LINES: Final = 6.1
CARD_WIDTH: Final = 15.0
CARD_COLUMNS: Final = 3
CARD_MARGIN: Final = (0.35, 0.1)
"""Height and least width of a card of the memory row; cards side by side, at most; margins beside and above a card."""

CARD_LABEL: Final = 3.2
CARD_LANES: Final = 2.15
CARD_LANE: Final = 0.5
"""Left of the lanes of a card: its words; above them: two lines of words; their height, without numbers."""

CARD_BAND: Final = 0.8
CARD_NAMES: Final = 0.95
"""Heights of the sectors of a card, and of the names of elements below them: an underscore is below other letters."""

GAP_SECTORS: Final = 1.4
"""Width of the mark for untouched lines between two lines side by side, in sectors."""

SIDE_BY_SIDE: Final = 2
"""Lines of a request that are drawn side by side; more of them are rows."""

FEW_WAVEFRONTS: Final = 4
MOST_LARGE: Final = 3
"""Wavefronts of a request up to which it shares the picture with others, and requests that share it."""

SIDE: Final = 14.0
SIDE_SHARE: Final = 0.36
TOTALS: Final = 9.5
"""Width of the cards and totals at the right, also as a share of the picture, at most; height of the totals."""

FAN_LABEL: Final = 4.6
NARROW_LABEL: Final = 3.4
"""Left or right of a request: "threadIdx.x", and in a narrow picture "wavefront 1" or (31,0,0)."""

LANE: Final = 1.25
LANE_FACT: Final = 1.1
LANE_CHIP: Final = 1.9
"""Heights of the lanes of a fan and of a row above them; width of the lanes of rows."""

FAN: Final = 6.5
FAN_BELOW: Final = 1.4
"""Height of the arrows of a fan, at most; below it: names or numbers."""

BAND: Final = 2.2
BAND_ROW: Final = 1.7
"""Heights of a line, and of the arrows of a fan at least; height of a wavefront."""

BAND_SHARE: Final = 0.4
"""Part of the height of arrows and banks together that the banks get where there is little of it."""

ROW_ARROWS: Final = 2.6
ROW_ARROWS_SHARE: Final = 0.13
"""Between the lanes and the rows: arrows; the larger of lines of text and the share of the width."""

ROW_GAP: Final = 5.6
"""Right of rows: words about untouched rows."""

ROW_CLOSE: Final = 0.84
ROW_APART: Final = 0.66
"""Height of a row, in distances of rows, between neighbouring rows and where untouched rows are left out."""

WIDE_REQUEST: Final = 32.0
"""Width of a request from which its rows have room for threadIdx."""

# --- matrix instructions -------------------------------------------------------------------------------------------

FRAGMENT_HEAD: Final = 2.1
FRAGMENT_NUMBERS: Final = 1.5
"""Above a matrix: its title and the numbers of its columns; left of it: the numbers of its rows."""

FRAGMENT_WIDE: Final = 2.6
"""Width of a register's cell in its heights, at most: room for a lane and a value."""

FRAGMENT_LINE: Final = 1.25
"""Height of a line of the list of a lane's registers."""

CORNER_ROWS: Final = 8
"""Rows of the 32 lanes in the corner: four lanes hold a row of the sums."""

LANE_CARD: Final = 15.0
LANE_CARD_SHARE: Final = 0.31
"""Width of the list of a lane's registers, also as a share of the picture, at most."""

LOAD_SHARE: Final = 0.47
LOAD_CARD: Final = 7.6
LOAD_GIVERS: Final = 1.9
LOAD_NAMES: Final = 4.4
"""Share of the width for the matrices of `ldmatrix`; height of the words about a lane; widths of the lanes that give
addresses and of the names of lines."""

LOAD_ROW: Final = 1.6
LOAD_LINE: Final = 2.0
"""Heights of a row of a matrix and of a line of shared memory, at most."""

LOAD_COLUMNS: Final = {1: 1, 2: 1, 4: 2}
"""By the number of matrices: matrices side by side."""

# --- arrows --------------------------------------------------------------------------------------------------------

BENDS: Final = (0.0, 0.15, -0.15, 0.25, -0.25, 0.4, -0.4, 0.6, -0.6, 0.9, -0.9, 1.3, -1.3)
"""Distances of the control point from the middle of an arrow, in lengths of the arrow; the first is preferred."""

ARC_SAMPLES: Final = 48
"""Points at which a curve is compared with what it is to avoid."""

ARC_AROUND: Final = 0.58
ARC_INSIDE: Final = 0.45
"""Distances of an end from the middle of its cell, in sides of the cell: outside of it, and on its edge."""

DETOUR: Final = 5.0
LEAVING: Final = 3
"""Cost of a bend of one length, and of a sample outside of the picture, in samples that cross something."""

SHUFFLES_APART: Final = 4.0
"""Least distance of the highest points of neighbouring arrows with a room above their lanes, pixels; with less, only
the outermost arrows of those of one length are drawn, and the area between them is filled."""

SHUFFLE_ASIDE: Final = 0.2
"""Distance of the end of an arrow from the middle of its lane, in widths of the lane: arrows to the left leave and
arrive left of the middle, those to the right on the other side."""

SHUFFLE_STEEP: Final = 0.55
"""Height of an arrow above its lanes, in distances of these."""

SHUFFLE_HEAD: Final = 4.0
SHUFFLE_GAP: Final = 2.0
"""Length of the straight end of an arrow, and space between it and its lane, pixels."""

# --- plates and labels over the picture ----------------------------------------------------------------------------

PLATE_TEXT: Final = 0.8
"""Height of a plate's text; other sizes are in heights of this text."""

PLATE_LINE: Final = 1.3
TOKEN: Final = 1.6
TOKENS_APART: Final = 0.3
BASELINE: Final = 0.36
"""Heights of a line and of a thread's token; between tokens; from the middle of a token down to the baseline."""

ON_THE_WAY: Final = 3.0
"""Room between the warps that wait and those on their way."""

PLATE_STEP: Final = 6.0
PLATE_FRAME: Final = 4.0
PLATE_GRAIN: Final = 2.0
"""Distance of the places that are tried for a plate, space around it, and to what a cover is rounded, pixels."""

OTHER_THREAD: Final = 4
"""Weight of the other thread of a race, against other cells, when an arrow is routed."""

TIP: Final = 7.0
"""Space around the end of an arrow, pixels, that labels leave free."""

COVERS_MARK: Final = 8.0
COVERS_PART: Final = 16.0
COVERS_ALL: Final = 4.0
"""Weights of a pixel of a mark that a label would cover, and of a text of which it covers a part or nearly all, against
its distance."""

SEEN_SHARE: Final = 0.1
HIDDEN_SHARE: Final = 0.8
"""Share of a text that a label covers, below which it can be read, and above which nothing of it is seen."""

LABEL_SHIFTS: Final = (0.0, -0.12, 0.12, -0.25, 0.25, -0.4, 0.4, -0.55, 0.55)
"""Shifts of a label that are tried, in its heights: texts are to be covered as a whole, or not at all."""

LABEL_FAR: Final = 0.3
"""Weight of a distance of one pixel, for each pixel of a label's height."""

LABEL_LEVELS: Final = 4
"""Places above and below a cell that are tried for its label."""

# --- choice -------------------------------------------------------------------------------------------------------

FEW_ARRAYS: Final = 6
"""Arrays in a frame of which every division into lines is tried: 32 ways; more of them are in equal lines."""

ARRAYS_WEIGHT: Final = 2.0
"""Weight of the arrays in global memory, which are several, in weights of a frame."""

ONE_SCALE: Final = 0.6
"""Share of the largest scale down to which shared arrays and matrices have cells of one size."""

NEXT_SCALE: Final = 0.95
"""Ratio of two scales that are tried in turn."""

FEW_SCALES: Final = 4
"""Of the scales, each fourth is tried first: the best of them limits the cost of the others."""

LEAST_SCALE: Final = 0.4
"""Share of the largest scale below which frames gain less than the arrays lose."""

OTHER_SHAPE: Final = 1.25
"""Growth of cells for which arrays are in rows, and not A left of C and B above it."""

SPARSE_COST: Final = 2.0
"""Cost of a frame of which its contents take less than `FILLED`, in costs of a filled one with equal cells."""

LENS_COST: Final = 2.0
"""Cost of threads that a lens shows, of which the viewer sees some only, in costs of threads that are all there."""

MIDDLE: Final = 0.4
"""Share of the free height above everything: a picture in the optical middle looks less low than in the true one."""
