import type { FeatureName } from './evidence.ts';

/** How much evidence it takes for one candidate alone to be as probable as that nothing is right. */
export const NOTHING = 3;

/** What each kind of evidence weighs, in logarithms of odds. */
export const WEIGHTS: Record<FeatureName, number> = {
  label: 5,
  labelInline: 0.5,
  labelBeside: 0.5,
  labelBelow: 0.2,
  type: 1,
  prose: 3,
  near: 1.5,
  heading: 2,
  definition: 2,
  letterhead: 2.5,
  address: 2,
  arithmetic: 2,
  table: 3,
  party: 5,
  title: 2,
  position: 0.5,
  repeated: 1,
  alone: 1,
  format: 0.5,
  enum: 1,
  name: 1,
  meaning: 4,
};
