/**
 * Returns the value that a record has for a key. Returns `undefined` for other keys, even if JavaScript gives every
 * object a property of this name, such as `constructor`. Keys that a document names have to be read in this way.
 */
export const getOwn = <T>(record: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined;
