"""How colours look to colour-blind readers, and how far two of them are apart.

Machado, Oliveira, Fernandes 2009, "A physiologically-based model for simulation of
color vision deficiency", table of matrices, severity 1. Distances: Sharma, Wu, Dalal
2005, "The CIEDE2000 color-difference formula".
"""

from collections.abc import Sequence

import numpy as np

from topoview.scene.palette import rgb

SIGHTS = {
    "normal": np.eye(3),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "tritanopia": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}

TO_XYZ = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
)
WHITE = TO_XYZ.sum(axis=1)


def linear(colours: Sequence[str]) -> np.ndarray:
    """Light of colours, linear in [0, 1]: shape (n, 3)."""
    parts = np.array([rgb(colour) for colour in colours], float) / 255
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def seen(colours: Sequence[str], sight: str) -> np.ndarray:
    """CIELAB of colours as somebody sees them: shape (n, 3)."""
    light = np.clip(linear(colours) @ SIGHTS[sight].T, 0, 1)
    xyz = light @ TO_XYZ.T / WHITE
    cut = (6 / 29) ** 3
    f = np.where(xyz > cut, np.cbrt(xyz), xyz / (3 * (6 / 29) ** 2) + 4 / 29)
    x, y, z = f.T
    return np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], axis=1)


def distance(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """CIEDE2000 between colours in CIELAB, whose last axis has L, a and b."""
    l1, a1, b1 = np.moveaxis(np.asarray(one, float), -1, 0)
    l2, a2, b2 = np.moveaxis(np.asarray(other, float), -1, 0)
    mean7 = ((np.hypot(a1, b1) + np.hypot(a2, b2)) / 2) ** 7
    g = 1.5 - 0.5 * np.sqrt(mean7 / (mean7 + 25.0**7))
    c1, c2 = np.hypot(g * a1, b1), np.hypot(g * a2, b2)
    h1, h2 = (np.arctan2(b, g * a) % (2 * np.pi) for a, b in ((a1, b1), (a2, b2)))
    turn = (h2 - h1 + np.pi) % (2 * np.pi) - np.pi
    turn = np.where(c1 * c2 == 0, 0.0, turn)
    dl, dc = l2 - l1, c2 - c1
    dh = 2 * np.sqrt(c1 * c2) * np.sin(turn / 2)
    lm, cm = (l1 + l2) / 2, (c1 + c2) / 2
    hm = np.where(abs(h1 - h2) > np.pi, (h1 + h2) / 2 + np.pi, (h1 + h2) / 2)
    hm = np.where(c1 * c2 == 0, h1 + h2, hm)
    degree = np.pi / 180
    t = 1 - 0.17 * np.cos(hm - 30 * degree) + 0.24 * np.cos(2 * hm)
    t += 0.32 * np.cos(3 * hm + 6 * degree) - 0.2 * np.cos(4 * hm - 63 * degree)
    sl = 1 + 0.015 * (lm - 50) ** 2 / np.sqrt(20 + (lm - 50) ** 2)
    sc, sh = 1 + 0.045 * cm, 1 + 0.015 * cm * t
    bend = np.exp(-(((np.degrees(hm) % 360 - 275) / 25) ** 2))
    rc = 2 * np.sqrt(cm**7 / (cm**7 + 25.0**7))
    rt = -rc * np.sin(60 * degree * bend)
    light, chroma, hue = dl / sl, dc / sc, dh / sh
    squares = light**2 + chroma**2 + hue**2
    return np.asarray(np.sqrt(squares + rt * chroma * hue))


def nearest(colours: Sequence[str], sight: str) -> float:
    """Least distance of any two of some colours."""
    lab = seen(colours, sight)
    found = distance(lab[:, None], lab[None])
    return float(found[~np.eye(len(lab), dtype=bool)].min())


def contrast(one: str, other: str) -> float:
    """Contrast of two colours, 1 to 21 (WCAG 2.1)."""
    y = sorted((linear([one, other]) @ TO_XYZ[1]).tolist())
    return float((y[1] + 0.05) / (y[0] + 0.05))
