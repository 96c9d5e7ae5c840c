import * as namespace from 'utif2';

export type { IFD } from 'utif2';

/** The package is CommonJS: some bundlers put its functions on the namespace, others on its default. */
export const UTIF = 'default' in namespace ? (namespace.default as typeof namespace) : namespace;
