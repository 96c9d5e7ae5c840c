import { z } from 'zod';

/** A caller's UUID in any case, converted to lower case. */
export const uuid = () => z.uuid().toLowerCase();
