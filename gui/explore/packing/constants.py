"""Measures of the picture. Rooms are in heights of a line of text (lines) unless they say pixels."""

from __future__ import annotations

from typing import Final

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

WIDER: Final = (3.0, 2.4, 2.0, 1.7, 1.44, 1.2)
"""Widths of cells in their heights that are tried where values need room and cells get no lower by it."""

USUAL_LINE: Final = 18.0
"""Height of a line of text in pixels for which sizes of threads are; with larger text they are larger."""

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

# --- rooms around arrays ------------------------------------------------------------------------------------------

HEAD: Final = 2.5
"""Above an array: its title and the numbers of its columns."""

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
"""Between the frame and the outermost points, whose marks are not to touch it."""

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

# --- choice -------------------------------------------------------------------------------------------------------

ARRAYS_WEIGHT: Final = 2.0
"""Weight of the arrays in global memory, which are several, in weights of a frame."""

ONE_SCALE: Final = 0.6
"""Share of the largest scale down to which shared arrays and matrices have cells of one size."""

NEXT_SCALE: Final = 0.95
"""Ratio of two scales that are tried in turn."""

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
