import { t } from '../../../i18n/messages.ts';
import { Badge, StatusBadge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { moment } from '../../../ui/format.ts';
import type { Item } from '../columns.ts';
import { canReview } from '../use-review.ts';
import styles from './review.module.css';

/** State of a file: its job until the job has completed, and then its review. */
export function ReviewState({ item }: { item: Item }) {
  if (!canReview(item)) return <StatusBadge status={item.status} />;
  if (item.review_state === 'approved') {
    return (
      <Badge tone="good" icon="check">
        {t('Approved')}
      </Badge>
    );
  }
  return item.review_state === 'corrected' ? (
    <Badge tone="info" icon="edit">
      {t('Corrected')}
    </Badge>
  ) : (
    <Badge icon="clock">{t('Not reviewed')}</Badge>
  );
}

/** Shows who has changed the review last, and when. A failed file shows the reason instead. */
export function Reviewer({ item }: { item: Item }) {
  if (item.error_message) return <span className={styles.note}>{item.error_message}</span>;
  if (!item.reviewed_by) return null;
  const name = item.reviewed_by.name ?? t('A former member');
  return (
    <span className={styles.note}>
      {name}, {moment(item.reviewed_at)}
    </span>
  );
}

export function ApproveButton({
  item,
  onApprove,
  ...rest
}: {
  item: Item;
  onApprove: (item: Item, approved: boolean) => void;
  tabIndex?: number;
}) {
  if (!canReview(item)) return null;
  const isApproved = item.review_state === 'approved';
  const name = item.file_name ?? t('Unnamed file');
  return (
    <Button
      writes
      {...rest}
      small
      look="quiet"
      icon={isApproved ? 'close' : 'check'}
      aria-label={isApproved ? t('Withdraw approval of {name}', { name }) : t('Approve {name}', { name })}
      onClick={() => onApprove(item, !isApproved)}
    >
      {isApproved ? t('Withdraw') : t('Approve')}
    </Button>
  );
}
