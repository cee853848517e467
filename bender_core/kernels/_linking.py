"""How compiled functions come together: each is optimised and turned into machine code once.

Numba does so with a function by itself, and again with all that calls it, directly or not. Here a *part* (`_jit.inner`)
has no machine code of its own: its intermediate code waits for the entries that it becomes part of. An *entry*
(`_jit.entry`) has, and the code of other entries refers to it by name, as object files of C refer to each other.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import llvmlite.binding as llvm
import numba._dynfunc
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.typed_passes import NativeLowering


class _Part(JITCodeLibrary):
    """The intermediate code of a part."""

    def _optimize_final_module(self):
        """It is optimised within entries."""

    def _finalize_final_module(self):
        """It becomes machine code within entries."""
        self._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)
class _LowerPart(NativeLowering):
    """Make the intermediate code of a part, and let its callers find it."""

    _name = "lower_part"

    def run_pass(self, state):
        state.library = _Part(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        super().run_pass(state)
        lowered = state.cr
        # Numba knows what it has lowered by a function of Python. This one has no code.
        function = numba._dynfunc.make_function(
            lowered.fndesc.lookup_module(), lowered.fndesc.qualname, "", 0, lowered.env, (state.library,)
        )
        state.targetctx.insert_user_function(function, lowered.fndesc, [state.library])
        state.cr = lowered._replace(cfunc=function)
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class _LowerEntry(NativeLowering):
    """Make the code of an entry under a name that is the same in every process.

    Numba numbers what it compiles, and whatever includes a function leaves a setting changed; both are part of the
    name.
    """

    _name = "lower_entry"

    def run_pass(self, state):
        state.flags.enable_ssa = True
        return super().run_pass(state)


class EntryCompiler(CompilerBase):
    """Numba's compiler, whose result depends neither on what was compiled before nor on what calls the function.

    So one process can call by name what another one has compiled.
    """

    def define_pipelines(self):
        self.state.flags.enable_ssa = True
        self.state.func_id.unique_id = 0
        return [_pipeline(self.state, _LowerEntry)]


class PartCompiler(CompilerBase):
    """Numba's compiler, up to the intermediate code."""

    def define_pipelines(self):
        return [_pipeline(self.state, _LowerPart)]


def _pipeline(state, lowering):
    """Numba's passes, with another one that lowers."""
    passes = DefaultPassBuilder.define_nopython_pipeline(state)
    passes.passes = [(lowering if step is NativeLowering else step, what) for step, what in passes.passes]
    return passes


@cache
def _nothing() -> Any:
    return llvm.parse_assembly("")


def call_by_name(compiled: Any) -> None:
    """Let the code compiled from now on refer to an entry by name, rather than include it."""
    compiled.library._shared_module = _nothing()


def names_called(compiled: Any) -> list[str]:
    """The names that the code of an entry refers to."""
    return [function.name for function in compiled.library._final_module.functions if function.is_declaration]
