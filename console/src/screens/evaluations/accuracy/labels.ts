import { t } from '../../../i18n/messages.ts';
import { formatScore } from '../../../ui/format.ts';
import type { TruthSet } from './operations.ts';

/** Measures of runs in the order in which they are shown. */
export const ACCURACY_METRICS = [
  'f1',
  'macro_f1',
  'precision',
  'recall',
  'exact',
  'accuracy',
  'calibration_error',
] as const;

export function getAccuracyLabel(name: string): string {
  const labels: Record<string, string> = {
    macro_f1: t('Macro F1'),
    precision: t('Precision'),
    recall: t('Recall'),
    exact: t('Files without errors'),
    accuracy: t('Accuracy'),
    calibration_error: t('Calibration error'),
  };
  return labels[name] ?? 'F1';
}

/** Formats a number between 0 and 1. A missing measure is a dash. */
export const formatAccuracy = (value: number | null | undefined): string => formatScore(value ?? undefined);

export const getKindLabel = (kind: TruthSet['kind']): string =>
  kind === 'extraction' ? t('Extraction') : t('Classification');

/** Returns the name of a type. Null stands for files without a type. */
export const getTypeLabel = (type: string | null | undefined): string => type ?? t('No type');
