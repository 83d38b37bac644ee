"""A camera's way through poses that were set at times: key frames."""

import numpy as np
from scipy.interpolate import PchipInterpolator

from topoview.model import Floats
from topoview.scene.camera import Pose


def pose_at(path: tuple[tuple[int, Pose], ...], time: int) -> Pose:
    """Pose on the way at a time.

    The way is smooth and never swings beyond its key frames (Fritsch and Butland,
    1984); before the first and after the last the camera stands still.

    Parameters
    ----------
    path
        Times in ticks, strictly ascending, and the pose at each; at least one.
    time
        Ticks.
    """
    times = np.array([at for at, _ in path], float)
    if len(path) == 1 or time <= times[0]:
        return path[0][1]
    if time >= times[-1]:
        return path[-1][1]
    numbers = PchipInterpolator(times, _numbers([pose for _, pose in path]))(time)
    azimuth, elevation, distance, x, y, z, right, up = map(float, numbers)
    nearest = int(np.searchsorted(times, time, "right")) - 1
    return Pose(
        (azimuth + 180) % 360 - 180,
        elevation,
        float(np.exp(distance)),
        (x, y, z),
        (right, up),
        path[nearest][1].parallel,
    )


def _numbers(poses: list[Pose]) -> Floats:
    """Rows of numbers that may be mixed: turns the short way, distances as factors."""
    azimuths = np.unwrap([pose.azimuth for pose in poses], period=360)
    rows = [
        (pose.elevation, np.log(pose.distance), *pose.focal, *pose.shift)
        for pose in poses
    ]
    return np.column_stack([azimuths, np.array(rows)]).round(9)


def with_frame(
    path: tuple[tuple[int, Pose], ...], time: int, pose: Pose
) -> tuple[tuple[int, Pose], ...]:
    """Path with one key frame more; one at the same time is replaced."""
    return tuple(sorted({**dict(path), time: pose}.items()))
