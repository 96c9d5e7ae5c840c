import { createContext } from 'react';

/** Reason why the signed-in user may not change anything. `undefined` if the user may. */
export const WriteRefusal = createContext<string | undefined>(undefined);
