// Node 22 prints a warning on stderr when node:sqlite is loaded, which operators would mistake for an error
// of Sluice.
const { emitWarning } = process;
process.emitWarning = () => {};
const sqlite = process.getBuiltinModule('node:sqlite');
process.emitWarning = emitWarning;

export const { DatabaseSync } = sqlite;
