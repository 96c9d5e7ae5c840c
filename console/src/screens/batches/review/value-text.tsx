import { t } from '../../../i18n/messages.ts';
import { percent } from '../../../ui/format.ts';
import { Icon } from '../../../ui/icons.tsx';
import { type CellState, formatValue } from '../columns.ts';
import styles from './review.module.css';

/** Value of a cell with its confidence. Uncertain, corrected and missing values have an icon and words. */
export function ValueText({ cell }: { cell: CellState }) {
  const { value, confidence, isCorrected, isMissing, isLow } = cell;
  return (
    <>
      <span className={isMissing ? styles.missing : styles.value} dir="auto">
        {isMissing ? t('Not found') : formatValue(value)}
      </span>
      {isCorrected && (
        <span className={styles.corrected}>
          <Icon name="edit" size={13} />
          <span className="visually-hidden">{t('Corrected')}</span>
        </span>
      )}
      {confidence !== undefined && !isMissing && (
        <span className={isLow ? styles.low : styles.confidence}>
          {isLow && <Icon name="warning" size={13} />}
          <span className="visually-hidden">{isLow ? t('Low confidence') : t('Confidence')}</span>{' '}
          {percent(confidence)}
        </span>
      )}
    </>
  );
}
