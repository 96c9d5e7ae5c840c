import * as namespace from 'utif2';

export type { IFD } from 'utif2';

/**
 * UTIF is a CommonJS package. Some bundlers export its functions directly, others as members of the default
 * export.
 */
export const UTIF = 'default' in namespace ? (namespace.default as typeof namespace) : namespace;
