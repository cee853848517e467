"""The description of a family of generated models for the registry in ``bender_core.synth``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bender_core.model import BinaryMRF, ModelError
from bender_core.units import figures

Value = int | float | bool | str


@dataclass(frozen=True)
class Parameter:
    """One parameter of a family, with everything a form needs for its field.

    The type of ``default`` is the type of the parameter.

    Attributes
    ----------
    name : str
        Name of the generator's argument.
    label : str
        The label of the field.
    default : int, float, bool or str
        The default value.
    low, high : float
        Range of a number, both ends included.
    choices : tuple of str
        The allowed words, if the parameter is a word.
    """

    name: str
    label: str
    default: Value
    low: float = 0.0
    high: float = 0.0
    choices: tuple[str, ...] = ()

    def check(self, value: Value) -> Value:
        """The value in the parameter's type.

        Raises
        ------
        ModelError
            If it has another type, is out of range, or is not among the choices.
        """
        if isinstance(self.default, bool):
            if isinstance(value, bool):
                return value
            raise ModelError(f"{self.label} is {value!r}; it must be True or False")
        if isinstance(self.default, str):
            if value in self.choices:
                return value
            raise ModelError(f"{self.label} is {value!r}; it must be one of {', '.join(self.choices)}")
        whole = isinstance(self.default, int)
        number = isinstance(value, int | float) and not isinstance(value, bool) and self.low <= value <= self.high
        if not number or (whole and value != int(value)):
            kind = "a whole number" if whole else "a number"
            raise ModelError(
                f"{self.label} is {value!r}; it must be {kind} from {figures(self.low, 12)} to {figures(self.high, 12)}"
            )
        return int(value) if whole else float(value)


SEED = Parameter("seed", "Seed", 0, 0, 2**31 - 1)


@dataclass(frozen=True)
class Family:
    """One family of generated models.

    Attributes
    ----------
    name : str
        Name of the generator.
    title : str
        Its title.
    shows : str
        One sentence on the purpose of models of this family.
    generate : callable
        The generator; takes the parameters by name.
    parameters : tuple of Parameter
    """

    name: str
    title: str
    shows: str
    generate: Callable[..., BinaryMRF]
    parameters: tuple[Parameter, ...]

    def __call__(self, **values: Value) -> BinaryMRF:
        """A model with these parameter values, defaults for the others.

        Raises
        ------
        ModelError
            If a name is unknown, a value not allowed, or no model can be made with these values.
        """
        known = {parameter.name: parameter for parameter in self.parameters}
        for name in values:
            if name not in known:
                raise ModelError(f"{self.title} has no parameter {name!r}; its parameters are {', '.join(known)}")
        checked = {name: parameter.check(values.get(name, parameter.default)) for name, parameter in known.items()}
        try:
            return self.generate(**checked)
        except ModelError:
            raise
        except Exception as error:
            # Libraries may raise any error for values at the edge of their range.
            given = ", ".join(f"{name}={value!r}" for name, value in checked.items())
            raise ModelError(f"no model of {self.title!r} can be made with {given}: {error}") from error


def stated(family: str, **values: Value) -> str:
    """The ``source`` of a generated model: the call that makes it again."""
    return f"bender_core.synth.{family}({', '.join(f'{name}={value!r}' for name, value in values.items())})"
