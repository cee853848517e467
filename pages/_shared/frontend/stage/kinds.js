// The kinds of events, from small to large steps: `Kind` in bender_core/kernels/layout.py.

export const KIND = { NODE_OPENED: 0, ORACLE: 1, ROW: 2, MESSAGE: 3, SWEEP: 4, FINISHED: 5 };

// The least kind of event at which a step of a grain ends.
export const STOP = { event: KIND.NODE_OPENED, round: KIND.ORACLE, node: KIND.MESSAGE, sweep: KIND.SWEEP };
