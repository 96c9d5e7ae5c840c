import type { Counts } from './counts.ts';

/**
 * Maximum platform requests per operation: measured values plus some slack. Lower a value when an operation
 * becomes cheaper. Explain a higher value in docs/explanation/costs.md.
 */
export const BOUNDS = {
  file: {
    'Worker requests': 1.2,
    'object requests': 0.3,
    'object rows written': 60,
    'D1 statements': 2.6,
    'D1 rows read': 60,
    // Five of these rows are the audit event of the upload.
    'D1 rows written': 30,
    'queue operations': 0.2,
    'R2 class A': 2.1,
    'R2 class B': 2.2,
  },
  page: {
    'Worker requests': 0.3,
    'object requests': 0.5,
    'object rows written': 14,
    'D1 statements': 1.1,
    // 0.6 of these rows are the audit events of a file of ten pages and of its pipeline.
    'D1 rows written': 3.6,
    'queue operations': 0.3,
    'R2 class A': 0.32,
    'R2 class B': 0.22,
  },
  'small document': {
    'Worker requests': 0.01,
    'object requests': 0.1,
    'object rows written': 42,
    'D1 statements': 0.2,
    'D1 rows read': 60,
    'D1 rows written': 16.5,
    'queue operations': 0.05,
    'R2 class A': 0,
    'R2 class B': 0,
  },
  retrieval: {
    'Worker requests': 1,
    'object requests': 1.1,
    'object rows read': 1500,
    'object rows written': 0,
    'D1 statements': 2.1,
    'D1 rows read': 10,
    'D1 rows written': 1.1,
    'queue operations': 0,
    'R2 class A': 0,
    'R2 class B': 0,
  },
  'chat turn': {
    'Worker requests': 1,
    'object requests': 2.1,
    'object rows read': 1500,
    'object rows written': 4,
    'D1 statements': 14.1,
    'D1 rows read': 35,
    'D1 rows written': 15,
    'queue operations': 0,
    'R2 class A': 0,
    'R2 class B': 0,
  },
} satisfies Record<string, Counts>;
