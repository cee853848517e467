// What an event is, from small to large steps: `kind` in protocol.json.

export const KIND = { NODE_OPENED: 0, ORACLE: 1, ROW: 2, MESSAGE: 3, SWEEP: 4, FINISHED: 5 };
