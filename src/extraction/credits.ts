import { CREDITS_PER_PAGE, type ExtractTier } from './configuration.ts';

const FLAT_CREDITS = { classify: 1, split: 1, sheets: 1, parse: 1 } as const;

export function countCredits(
  product: 'extract' | 'classify' | 'split' | 'sheets' | 'parse',
  pages: number,
  tier?: ExtractTier,
): number {
  if (product === 'extract') return pages * CREDITS_PER_PAGE[tier ?? 'cost_effective'];
  return pages * FLAT_CREDITS[product];
}
