// Node 22 prints a warning on stderr when node:sqlite is loaded, which operators would take for a fault of Sluice.
const { emitWarning } = process;
process.emitWarning = () => {};
const sqlite = process.getBuiltinModule('node:sqlite');
process.emitWarning = emitWarning;

export const { DatabaseSync } = sqlite;
