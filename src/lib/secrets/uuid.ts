import { z } from 'zod';

/** Schema of a UUID in upper or lower case, which is converted to lower case. */
export const uuid = () => z.uuid().toLowerCase();
