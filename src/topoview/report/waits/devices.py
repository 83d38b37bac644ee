"""What devices do, what waits for them, and efficiencies with devices, as tables."""

import math
from dataclasses import asdict
from typing import Any, Final

import numpy as np

from topoview import model
from topoview.base.text import tr
from topoview.report import write
from topoview.report.blocks import Block, Heading, Paragraph, table_block
from topoview.report.waits.pages import shares_block

MAX_ROWS: Final = 12
"""Rows of a table in a text."""

MAX_RECORDS: Final = 100
"""Rows of a table beside other numbers in JSON; ``--by gpu-wait`` lists all."""

GPU_WAITS: Final = model.Schema(
    model.Column("waiting", "", tr("waiting"), tr("Who waits: a host, or a device")),
    model.Column(
        "region",
        "",
        tr("region"),
        tr("Where a host waits; what a device does after the gap"),
    ),
    model.Column("call", "", tr("call"), tr("Call in which a host waits")),
    model.Column(
        "waited_for",
        "",
        tr("waited for"),
        tr(
            "What the device does meanwhile; of a device that waits, what its host does"
        ),
    ),
    model.Column("seconds", "s", tr("time"), tr("All such waiting together"), bar=True),
    model.Column(
        "share", "share", tr("share"), tr("Share of the time of all hosts, or devices")
    ),
    model.Column("count", "", tr("count"), tr("How often they wait for it")),
)

DEVICES: Final = model.Schema(
    model.Column("device", "", tr("device"), ordered=True),
    model.Column("rank", "#", tr("rank"), tr("Rank that uses it"), link="rank"),
    model.Column(
        "kernel_seconds", "s", tr("kernel"), tr("Time in which a kernel runs")
    ),
    model.Column("copy_seconds", "s", tr("copy"), tr("Time in which it only copies")),
    model.Column("idle_seconds", "s", tr("idle"), tr("Time in which it does nothing")),
)

_CODES: Final = {
    -1: tr("no operation of the device"),
    model.TO_HOST: tr("copy to the host"),
    model.FROM_HOST: tr("copy from the host"),
    model.COPY_ONLY: tr("copy"),
}
_WAITERS: Final = (tr("host"), tr("device"))


def gpu_waits_table(trace: model.Trace, activity: model.DeviceActivity) -> model.Table:
    """Return what hosts and devices wait for of each other, longest first."""
    blamed, second = activity.blamed, trace.clock.resolution
    titles = [trace.regions.title(k) for k in range(len(trace.regions.names))]
    others = [*titles, *_CODES.values()]

    def name(regions: model.Indices, codes: bool) -> tuple[model.Indices, list[str]]:
        numbers = regions.copy()
        for place, code in enumerate(_CODES if codes else ()):
            numbers[regions == code] = len(titles) + place
        return model.named(numbers, others)

    length = activity.span[1] - activity.span[0]
    both = np.array([len(activity.host), len(activity.devices)]) * length
    is_device = blamed.by_device == 1
    around = name(np.where(is_device, blamed.around, -1).astype(np.int32), True)
    calling = name(blamed.around, False)
    regions = np.where(is_device, around[0], calling[0]).astype(np.int32)
    return model.Table(
        GPU_WAITS,
        {
            "waiting": model.named(blamed.by_device, list(_WAITERS)),
            "region": (regions, around[1]),
            "call": name(blamed.call, False),
            "waited_for": name(blamed.waited_for, True),
            "seconds": blamed.ticks / second,
            "share": blamed.ticks / np.maximum(both, 1)[blamed.by_device],
            "count": blamed.count,
        },
    )


def devices_table(trace: model.Trace, activity: model.DeviceActivity) -> model.Table:
    """Return what each device does."""
    second = trace.clock.resolution
    idle = activity.span[1] - activity.span[0] - activity.kernel - activity.copy
    return model.Table(
        DEVICES,
        {
            "device": model.words(activity.devices),
            "rank": activity.rank,
            "kernel_seconds": activity.kernel / second,
            "copy_seconds": activity.copy / second,
            "idle_seconds": idle / second,
        },
    )


def devices_record(
    trace: model.Trace,
    activity: model.DeviceActivity | None,
    efficiency: model.DeviceEfficiency | None,
) -> dict[str, Any]:
    """Describe devices as JSON-able values: nothing without any."""
    if activity is None or efficiency is None:
        return {}
    factors = asdict(efficiency)
    return {
        **{name: None if math.isnan(v) else v for name, v in factors.items()},
        "devices": write.record(devices_table(trace, activity)),
        "gpu_waits": write.record(gpu_waits_table(trace, activity).head(MAX_RECORDS)),
    }


def devices_blocks(
    trace: model.Trace,
    activity: model.DeviceActivity | None,
    efficiency: model.DeviceEfficiency | None,
) -> tuple[Block, ...]:
    """Show efficiencies of devices, and what waits for what; nothing without any."""
    if activity is None or efficiency is None:
        return ()
    rows = (
        ("devices", efficiency.device),
        ("  load balance", efficiency.device_load_balance),
        ("  orchestration", efficiency.orchestration),
        ("hosts wait for devices", efficiency.gpu_waiting),
        ("kernels during MPI", efficiency.overlapped),
    )
    waits = gpu_waits_table(trace, activity)
    table = table_block("gpu-waits", "", waits.head(MAX_ROWS), named=True)
    rest = [Paragraph("see --by gpu-wait")] * (len(waits) > MAX_ROWS)
    shares = shares_block(rows)
    return (Heading(""), shares, Heading(""), table, *rest)


TABLES: Final = {"device": devices_table, "gpu-wait": gpu_waits_table}
"""What ``topoview efficiency --by`` lists of devices."""
