"""Generated multi-person pose estimation, the paper's kind of problem.

Detectors propose candidates for 14 body parts in an image; the model selects those that belong to one body. ``x_i = 1``
selects candidate i. After the problem description in the paper's experiments (parts on the kinematic tree, the neck
coupled to every part); sizes are in body heights, scores in log-odds.
"""

from __future__ import annotations

import numpy as np

from bender_core.model import BinaryMRF, FloatArray, IntArray
from bender_core.seeds import generator
from bender_core.synth._family import SEED, Family, Parameter, stated

# The joints of an upright body of height 1, relative to its centre; y downwards.
SKELETON: dict[str, tuple[float, float]] = {
    "head": (0.0, -0.43),
    "neck": (0.0, -0.30),
    "left shoulder": (-0.12, -0.27),
    "right shoulder": (0.12, -0.27),
    "left elbow": (-0.16, -0.11),
    "right elbow": (0.16, -0.11),
    "left wrist": (-0.18, 0.05),
    "right wrist": (0.18, 0.05),
    "left hip": (-0.08, 0.04),
    "right hip": (0.08, 0.04),
    "left knee": (-0.09, 0.27),
    "right knee": (0.09, 0.27),
    "left ankle": (-0.10, 0.50),
    "right ankle": (0.10, 0.50),
}
PARTS = tuple(SKELETON)
LIMBS = (
    ("neck", "head"),
    *(("neck", f"{side} shoulder") for side in ("left", "right")),
    *(("neck", f"{side} hip") for side in ("left", "right")),
    *(
        (f"{side} {upper}", f"{side} {lower}")
        for side in ("left", "right")
        for upper, lower in (("shoulder", "elbow"), ("elbow", "wrist"), ("hip", "knee"), ("knee", "ankle"))
    ),
)
# The neck is coupled to every part, in addition to the kinematic tree.
ADJACENT = LIMBS + tuple(("neck", part) for part in PARTS if part != "neck" and ("neck", part) not in LIMBS)

BODY_HEIGHT = 200.0  # pixels
STRIDE = 0.45  # distance of neighbouring people, in body heights
SWAY = 0.02  # deviation of a joint from its position on the limb
HIT_ODDS, MISS_ODDS, ODDS_SPREAD = 0.6, -0.8, 0.8  # log-odds of a detection at a joint, and of clutter
SAME_REACH, SAME_SCORE = 0.06, 1.0  # candidates of one part: attract within the reach
LIMB_REACH, LIMB_SLACK, LIMB_SCORE = 0.05, 0.15, 0.5  # candidates of two parts: agree within reach + slack·length
REPULSION = 2.0  # a disagreeing pair costs at most this many times the reward of an agreeing pair


def body_pose(
    candidates: int = 16, people: int = 3, clutter: float = 0.25, noise: float = 0.05, seed: int = 0
) -> BinaryMRF:
    """Candidates of 14 body parts around the joints of several people, with clutter.

    Parameters
    ----------
    candidates : int
        Candidates of each part, so n = 14 · candidates.
    people : int
        People side by side.
    clutter : float
        Share of candidates that belong to no person, from 0 to 1.
    noise : float
        Standard deviation of a candidate around its joint, in body heights.
    seed : int

    Returns
    -------
    BinaryMRF
        Parts are the groups; positions are image coordinates in pixels.
    """
    rng = generator(seed)
    points, owned = _candidates(rng, candidates, people, clutter, noise)
    odds = np.where(owned, HIT_ODDS, MISS_ODDS) + ODDS_SPREAD * rng.standard_normal(owned.shape)
    same_edges, same_scores = _same_part(points)
    limb_edges, limb_scores = _adjacent_parts(points)
    scores = np.concatenate([same_scores, limb_scores])
    pairwise = np.zeros((len(scores), 2, 2))
    pairwise[:, 1, 1] = -scores
    odds, points = odds.ravel(), points.reshape(-1, 2)
    return BinaryMRF(
        unary=np.column_stack([np.zeros_like(odds), -odds]),
        edges=np.concatenate([same_edges, limb_edges]),
        pairwise=pairwise,
        names=tuple(f"{part} {k + 1}" for part in PARTS for k in range(candidates)),
        groups=tuple(part for part in PARTS for _ in range(candidates)),
        positions=(BODY_HEIGHT * points).round(1),
        name=f"pose 14×{candidates}",
        description="Candidates of 14 body parts around several people: select those that form the best body.",
        source=stated("body_pose", candidates=candidates, people=people, clutter=clutter, noise=noise, seed=seed),
    )


def _candidates(
    rng: np.random.Generator, candidates: int, people: int, clutter: float, noise: float
) -> tuple[FloatArray, np.ndarray[tuple[int, ...], np.dtype[np.bool_]]]:
    """Positions of the candidates, shape (14, candidates, 2), body heights, and whether each belongs to a person."""
    skeleton = np.array([SKELETON[part] for part in PARTS])
    centres = np.column_stack([STRIDE * np.arange(people), np.zeros(people)])
    joints = centres[:, None] + skeleton + SWAY * rng.standard_normal((people, len(PARTS), 2))
    low, high = joints.min(axis=(0, 1)) - 0.1, joints.max(axis=(0, 1)) + 0.1
    shape = (len(PARTS), candidates)
    owner = rng.integers(0, people, shape)
    owned = rng.random(shape) >= clutter
    at_joint = joints[owner, np.arange(len(PARTS))[:, None]] + noise * rng.standard_normal((*shape, 2))
    anywhere = rng.uniform(low, high, (*shape, 2))
    return np.where(owned[..., None], at_joint, anywhere) - low, owned


def _agreement(error: FloatArray, reach: float) -> FloatArray:
    """A score that falls from 1 at error 0 through 0 at ``reach`` to −REPULSION."""
    return np.maximum(1.0 - (error / reach) ** 2, -REPULSION)


def _same_part(points: FloatArray) -> tuple[IntArray, FloatArray]:
    """Edges within each part, and their scores."""
    parts, candidates, _ = points.shape
    a, b = np.triu_indices(candidates, 1)
    distance = np.linalg.norm(points[:, a] - points[:, b], axis=-1)
    first = candidates * np.arange(parts)[:, None]
    edges = np.stack([first + a, first + b], axis=-1).reshape(-1, 2)
    return edges, SAME_SCORE * _agreement(distance, SAME_REACH).ravel()


def _adjacent_parts(points: FloatArray) -> tuple[IntArray, FloatArray]:
    """Edges between all candidates of adjacent parts, and their scores."""
    candidates = points.shape[1]
    edges, scores = [], []
    for first, second in ADJACENT:
        p, q = PARTS.index(first), PARTS.index(second)
        expected = np.subtract(SKELETON[second], SKELETON[first])
        error = np.linalg.norm(points[q][None, :] - points[p][:, None] - expected, axis=-1)
        reach = LIMB_REACH + LIMB_SLACK * float(np.linalg.norm(expected))
        i, j = np.divmod(np.arange(candidates**2), candidates)
        edges.append(np.column_stack([candidates * p + i, candidates * q + j]))
        scores.append(LIMB_SCORE * _agreement(error, reach).ravel())
    return np.concatenate(edges), np.concatenate(scores)


FAMILY = Family(
    name="body_pose",
    title="Body pose",
    shows="The paper's problem: the LP is loose, and one hyper-variable per body part closes the gap.",
    generate=body_pose,
    parameters=(
        Parameter("candidates", "Candidates of each part", 16, 1, 60),
        Parameter("people", "People", 3, 1, 8),
        Parameter("clutter", "Share of clutter", 0.25, 0.0, 1.0),
        Parameter("noise", "Noise (body heights)", 0.05, 0.0, 0.3),
        SEED,
    ),
)
