import { CREDITS_PER_PAGE, type ExtractTier } from './configuration.ts';

/** Credits per page of products whose price does not depend on a tier. */
const FLAT = { classify: 1, parse: 1 } as const;

export function creditsOf(
  product: 'extract' | 'classify' | 'parse',
  pages: number,
  tier?: ExtractTier,
): number {
  if (product === 'extract') return pages * CREDITS_PER_PAGE[tier ?? 'cost_effective'];
  return pages * FLAT[product];
}
