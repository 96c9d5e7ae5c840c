import type { Answer } from '../../../api/types.ts';

export const SWEEPS = 'GET /api/v1/evaluations/sweeps';
export const SWEEP = 'GET /api/v1/evaluations/sweeps/{sweep_id}';

export type Sweep = Answer<typeof SWEEP>;
