import type { ReactNode } from 'react';
import type { Answer } from '../../api/types.ts';
import { t } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { Chips } from '../../ui/chips.tsx';
import { count } from '../../ui/format.ts';
import { SearchField } from '../../ui/search-field.tsx';
import styles from './files.module.css';
import { STATES, useFilters } from './use-filters.ts';

const getWords = (): Record<(typeof STATES)[number], string> => ({
  SUCCESS: t('Ready'),
  ERROR: t('Failed'),
  IN_PROGRESS: t('Running'),
  NOT_STARTED: t('Pending'),
  CANCELLED: t('Cancelled'),
});

interface FiltersProps {
  counts: Answer<'GET /api/v1/pipelines/{pipeline_id}/files/status-counts'> | undefined;
  total: number | undefined;
  children: ReactNode;
}

/** Search field for file names, and a filter for each file state with the number of matching files. */
export function Filters({ counts, total, children }: FiltersProps) {
  const { params, set, state } = useFilters();
  const reason = params.get('reason');
  const chips = [
    { value: '', label: t('All {count}', { count: count(counts?.total_count) }) },
    ...STATES.filter((each) => each === state || counts?.counts[each]).map((each) => ({
      value: each,
      label: `${getWords()[each]} ${count(counts?.counts[each])}`,
    })),
  ];
  return (
    <>
      <div className={styles.bar}>
        <SearchField label={t('Search by name')} value={params.get('q') ?? ''} onSearch={(q) => set({ q })} />
        <Chips
          label={t('State')}
          chips={chips}
          chosen={state ?? ''}
          onChoose={(value) => set({ state: value })}
        />
        <div className={styles.end}>{children}</div>
      </div>
      {reason && (
        <p className={styles.reason}>
          {t('Files that failed with “{reason}” ({total})', { reason, total: count(total) })}{' '}
          <Button small icon="close" onClick={() => set({ reason: undefined })}>
            {t('Clear filter')}
          </Button>
        </p>
      )}
    </>
  );
}
