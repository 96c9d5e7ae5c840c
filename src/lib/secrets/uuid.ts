import { z } from 'zod';

/** A uuid of the caller's, as it is stored: clients send it in either case. */
export const uuid = () => z.uuid().toLowerCase();
