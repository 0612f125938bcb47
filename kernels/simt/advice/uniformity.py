"""Divergence analysis: the threads for which a branch or a loop has the same decision, from the source.

A barrier must be reached by all threads of the block, `__syncwarp()` by all of the warp, a barrier of the grid by all
of the grid. An expression is uniform over the grid unless a part of it depends on the block or on the thread; a
variable is as uniform as the values assigned to it, and as the branches and loops around the assignments. A load is as
uniform as its index: a block shares a decision by reading one element that one thread wrote.

Example: in `if (threadIdx.x / 32 == 0)` the condition is uniform in each warp (`Scope.WARP`), so `__syncwarp()` may be
in the branch and `__syncthreads()` may not.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Any, Final

from kernels.frontend import ast
from kernels.frontend.ast.traversal import below, children
from kernels.launch import WARP_SIZE
from kernels.simt.advice.positions import bodies, header_of, statements_below

if TYPE_CHECKING:
    from kernels.frontend.ast import Expr, Function, Statement
    from kernels.simt.advice.positions import Gap, Owner, Path, Source


class Scope(IntEnum):
    """The largest group of threads within which an expression has one value."""

    GRID = 0
    BLOCK = 1
    WARP = 2
    THREAD = 3


_SAME_IN_BLOCK: Final = ("__syncthreads_or", "__syncthreads_and", "__syncthreads_count")
_SAME_IN_WARP: Final = (
    "__any_sync",
    "__all_sync",
    "__ballot_sync",
    "__activemask",
    "__reduce_",
    "__uni_sync",
)
_THREAD_FUNCTIONS: Final = ("atomic", "__shfl", "__match_", "clock", "__nv_", "thread_rank", "curand")
_MEMBER_SCOPES: Final = {
    "thread_rank": Scope.THREAD,
    "thread_index": Scope.THREAD,
    "meta_group_rank": Scope.WARP,
    "block_rank": Scope.BLOCK,
    "block_index": Scope.BLOCK,
    "load": Scope.THREAD,
    "exchange": Scope.THREAD,
    "fetch_add": Scope.THREAD,
    "fetch_sub": Scope.THREAD,
    "fetch_or": Scope.THREAD,
    "fetch_and": Scope.THREAD,
    "test_and_set": Scope.THREAD,
}
_COMPARISONS: Final = ("<", "<=", ">", ">=", "==", "!=")
_MOST_ROUNDS: Final = 16
"""Maximum number of passes over the source; a chain of assignments against the order of the text needs one for each."""


class Uniformity:
    """The scopes of variables: the fixed point of passes over all functions, in which a scope only widens."""

    def __init__(self, source: Source, *, threads_x: bool) -> None:
        """Analyse a source; `threads_x`: blocks have one dimension, so threadIdx.x / 32 is the warp."""
        self._source = source
        self._threads_x = threads_x
        self._scopes: dict[tuple[int, str], Scope] = {}
        """By function and name, like the next ones."""
        self._shared: set[tuple[int, str]] = set()
        """Variables in shared memory."""
        self._thread_index: set[tuple[int, str]] = set()
        """Variables declared as threadIdx.x."""
        self._assigned: dict[tuple[int, str], int] = {}
        """Variables that are assigned after their declaration."""
        self._returns: dict[int, Scope] = {}
        """Scope of the value of each function."""
        # A variable may depend on one that is assigned later in the text, in the previous round of a loop.
        for _ in range(_MOST_ROUNDS):
            before = dict(self._scopes), dict(self._returns)
            for function in source.functions:
                self._pass_arguments(function)
                self._visit(function, function.body, Scope.GRID)
            if before == (self._scopes, self._returns):
                break

    def of(self, function: Function, node: Any) -> Scope:
        """Return the largest group within which an expression is uniform."""
        key = id(function)
        match node:
            case ast.Name():
                if node.id == "threadIdx":
                    return Scope.THREAD
                # Equal in all threads of a block, different between blocks.
                if node.id == "blockIdx":
                    return Scope.BLOCK
                known = self._scopes.get((key, node.id), Scope.GRID)
                return max(known, Scope.BLOCK) if (key, node.id) in self._shared else known
            case ast.Binary(op="/" | ">>") if self._is_thread_index(function, node.left):
                divisor = _number(node.right)
                per_warp = divisor if node.op == "/" else 1 << divisor if divisor < WARP_SIZE else 0
                # t / 32 is equal in a warp, and so is t / 64; t / 16 is not.
                whole = per_warp and per_warp % WARP_SIZE == 0
                named = isinstance(node.right, ast.Name) and node.right.id == "warpSize"
                return Scope.WARP if whole or named else Scope.THREAD
            case ast.Binary() if node.op in _COMPARISONS and self._is_thread_index(function, node.left):
                limit = _number(node.right)
                # t < 64 divides the block between two warps; t < 40 divides a warp; t <= 64 has one lane too many.
                if node.op in ("<", ">=") and limit >= 0 and limit % WARP_SIZE == 0:
                    return Scope.WARP
                return Scope.THREAD
            case ast.Call():
                return self._of_call(function, node)
            case ast.Lambda() | ast.Construct(values=()):
                return Scope.THREAD
            case ast.SizeOf():
                return Scope.GRID
        return max((self.of(function, part) for part in children(node)), default=Scope.GRID)

    def is_reached(self, gap: Gap, scope: Scope) -> bool:
        """Return whether all threads of a group reach a place together, equally often."""
        return self.obstacle(gap.levels, gap.at, scope) is None

    def obstacle(self, path: Path, at: int, scope: Scope) -> tuple[int, Statement] | None:
        """Return the obstacle for some threads of a group on the way to a place in the last list of a path.

        That is the level of the outermost list that not all reach, and the branch, loop, return or break that causes
        it; None if all threads arrive.
        """
        function: Function | None = None
        for number, level in enumerate(path):
            if isinstance(level.owner, ast.Function):
                function = level.owner
            assert function is not None
            if self.diverges(function, level.owner, scope):
                return number, level.owner  # type: ignore[return-value]  # a function is never an obstacle
            until = at if number == len(path) - 1 else level.index
            # A return before the place keeps the threads that took it away, although the lists around are reached by
            # all.
            for statement in level.statements[:until]:
                exit_ = self._early_exit(function, statement, scope)
                if exit_ is not None:
                    return number, exit_
        return None

    def diverges(self, function: Function, owner: Owner, scope: Scope) -> bool:
        """Return whether threads of a group may run different bodies of a branch, or different numbers of rounds."""
        condition = header_of(owner)
        if condition is not None and self.of(function, condition) > scope:
            return True
        # A loop with a uniform condition still diverges if some threads break out of it or continue early.
        if isinstance(owner, ast.For | ast.While):
            inner = [s for _, body, _ in bodies(owner) for s in body]
            return any(self._early_exit(function, s, scope, loop=True) is not None for s in inner)
        return False

    def _early_exit(
        self, function: Function, statement: Statement, scope: Scope, *, loop: bool = False
    ) -> Statement | None:
        """Return the branch in which some threads of a group return or, with `loop`, leave the enclosing loop."""
        if isinstance(statement, ast.If | ast.Switch | ast.For | ast.While):
            own = isinstance(statement, ast.For | ast.While)
            condition = header_of(statement)
            parts = condition is not None and self.of(function, condition) > scope
            for _, inner, _ in bodies(statement):
                for child in inner:
                    if parts and any(_exits(s, loop=loop and not own) for s in statements_below(child)):
                        return statement
                    found = self._early_exit(function, child, scope, loop=loop and not own)
                    if found is not None:
                        return found
        if isinstance(statement, ast.Block):
            for child in statement.body:
                found = self._early_exit(function, child, scope, loop=loop)
                if found is not None:
                    return found
        return None

    def _pass_arguments(self, function: Function) -> None:
        # A parameter is as uniform as its least uniform argument over all calls.
        for caller, call in self._source.calls_of(function):
            for parameter, argument in zip(function.parameter_names, call.arguments, strict=False):
                self._widen((id(function), parameter), self.of(caller, argument))

    def _visit(self, function: Function, statement: Statement, around: Scope) -> None:
        """Add the assignments in a statement; `around` is the scope of the branches and loops around it."""
        key = id(function)
        match statement:
            case ast.Declare():
                for variable in statement.variables:
                    name = (key, variable.name)
                    if variable.space == "shared":
                        self._shared.add(name)
                        continue
                    values = variable.value if isinstance(variable.value, tuple) else (variable.value,)
                    scopes = [self.of(function, value) for value in values if value is not None]
                    self._widen(name, max([*scopes, around]) if scopes else Scope.GRID)
                    if len(values) == 1 and values[0] is not None and self._is_thread_index(function, values[0]):
                        self._thread_index.add(name)
            case ast.Return() if statement.value is not None:
                known = self._returns.get(key, Scope.GRID)
                self._returns[key] = max(known, around, self.of(function, statement.value))
            case ast.Assembly():
                for _, output in statement.outputs:
                    self._assign(function, output, Scope.THREAD)
        inner = around
        condition = header_of(statement)
        if condition is not None:
            inner = max(around, self.of(function, condition))
        for expression in _expressions(statement):
            self._assignments(function, expression, inner if isinstance(statement, ast.For | ast.While) else around)
        if isinstance(statement, ast.For) and statement.start is not None:
            self._visit(function, statement.start, around)
        for _, inside, _ in bodies(statement):
            for child in inside:
                self._visit(function, child, inner)

    def _assignments(self, function: Function, expression: Expr, around: Scope) -> None:
        for node in below(expression):
            match node:
                case ast.Assign():
                    self._assign(function, node.target, max(around, self.of(function, node.value)))
                case ast.Update():
                    self._assign(function, node.target, around)
                case ast.Call() if not node.function.startswith("atomic"):
                    for argument in node.arguments:  # the function may change it through the address
                        match argument:
                            case ast.Unary(op="&", operand=ast.Name() as variable):
                                self._assign(function, variable, Scope.THREAD)

    def _assign(self, function: Function, target: Any, scope: Scope) -> None:
        while isinstance(target, ast.Member):
            target = target.base
        if isinstance(target, ast.Name):
            name = (id(function), target.id)
            self._thread_index.discard(name)
            self._assigned[name] = 1
            self._widen(name, scope)

    def _widen(self, name: tuple[int, str], scope: Scope) -> None:
        self._scopes[name] = max(self._scopes.get(name, Scope.GRID), scope)

    def _is_thread_index(self, function: Function, node: Any) -> bool:
        """Return whether an expression is `threadIdx.x` of blocks with one dimension."""
        if not self._threads_x:
            return False
        if isinstance(node, ast.Member):
            return isinstance(node.base, ast.Name) and node.base.id == "threadIdx" and node.field == "x"
        if isinstance(node, ast.Cast):
            return self._is_thread_index(function, node.operand)
        if isinstance(node, ast.Name):
            name = (id(function), node.id)
            return name in self._thread_index and name not in self._assigned
        return False

    def _of_call(self, function: Function, node: ast.Call) -> Scope:
        name = node.function.removeprefix(".")
        if name in _SAME_IN_BLOCK:
            return Scope.BLOCK
        if name.startswith(_SAME_IN_WARP):
            return Scope.WARP
        if node.function.startswith("."):
            own = _MEMBER_SCOPES.get(name)
            if own is not None:
                return own
        elif name.startswith(_THREAD_FUNCTIONS):
            return Scope.THREAD
        arguments = max((self.of(function, argument) for argument in node.arguments), default=Scope.GRID)
        returned = [
            self._returns.get(id(called), Scope.GRID)
            for called in self._source.functions
            if any(call is node for _, call in self._source.calls_of(called))
        ]
        return max([arguments, *returned])


def _exits(statement: Statement, *, loop: bool) -> bool:
    """Return whether a statement leaves the function or, with `loop`, the round of a loop."""
    return isinstance(statement, ast.Return | ast.Goto) or (loop and isinstance(statement, ast.Break | ast.Continue))


def _number(node: Any) -> int:
    """Return a literal's value; -1 for any other expression."""
    return int(node.value) if isinstance(node, ast.Number) and isinstance(node.value, int) else -1


def _expressions(statement: Statement) -> list[Expr]:
    """Return the expressions of a statement itself, not those of its bodies; none for assembly."""
    nodes = statement.variables if isinstance(statement, ast.Declare) else (statement,)
    if isinstance(statement, ast.Assembly):
        return []
    return [part for node in nodes for part in children(node) if isinstance(part, ast.Expr)]
