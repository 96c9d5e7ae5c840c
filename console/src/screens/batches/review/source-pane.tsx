import { Link } from 'wouter';
import { useApiQuery } from '../../../api/hooks.ts';
import { t } from '../../../i18n/messages.ts';
import { useProjectPath } from '../../../shell/project-path.ts';
import { buildMarks, PagePicture } from '../../../ui/page-picture.tsx';
import { findAtPointer, isEvidence } from '../../extract/evidence.ts';
import { type Batch, type Item, readCell, type ValueColumn } from '../columns.ts';
import { canReview } from '../use-review.ts';
import styles from './review.module.css';
import { Reviewer } from './review-state.tsx';
import { useSettled } from './use-settled.ts';
import { ValueText } from './value-text.tsx';

interface SourcePaneProps {
  batch: Batch;
  item: Item | undefined;
  /** `undefined` if the whole file is selected. */
  column: ValueColumn | undefined;
}

/**
 * Milliseconds for which a value has to stay selected before its page is loaded. A held arrow key passes many
 * files, whose jobs and pages would all be loaded otherwise.
 */
const SETTLE_MS = 200;

/** Page of the selected file, with a box around the source of the selected value. */
export function SourcePane({ batch, ...selected }: SourcePaneProps) {
  const key = `${selected.item?.job_id} ${selected.column?.pointer}`;
  const { item, column } = useSettled(selected, key, SETTLE_MS);
  const pathTo = useProjectPath();
  const isExtract = batch.job_type === 'extract';
  const job = useApiQuery(
    'GET /api/v2/extract/{job_id}',
    { params: { job_id: item?.job_id ?? '' } },
    { enabled: isExtract && item !== undefined && canReview(item), staleTime: 300_000 },
  );
  if (!item) return <p className={styles.note}>{t('Select a value to see where it is printed.')}</p>;
  const fields = job.data?.id === item.job_id ? job.data.extract_metadata?.field_metadata : undefined;
  const metadata = fields?.document_metadata ?? fields?.page_metadata ?? fields?.row_metadata;
  const found = column && findAtPointer(metadata, column.pointer);
  const citation = isEvidence(found) ? found.citation?.[0] : undefined;
  const pageIndex = citation ? citation.page - 1 : 0;
  const name = item.file_name ?? t('Unnamed file');
  const label = t('Page {page} of {name}', { page: pageIndex + 1, name });
  return (
    <>
      <h2 className={styles.sourceTitle} dir="auto">
        {item.file_name ?? t('A deleted file')}
      </h2>
      <Reviewer item={item} />
      {column && canReview(item) && (
        <p className={styles.selected}>
          <strong>{column.label}</strong> <ValueText cell={readCell(item, column, batch.job_type)} />
        </p>
      )}
      {canReview(item) && (
        <Link to={pathTo(`/${batch.job_type}/${item.job_id}`)} className={styles.note}>
          {t('Open the job')}
        </Link>
      )}
      {item.file_name !== null && (
        <PagePicture
          fileId={item.file_id}
          pageIndex={pageIndex}
          alt={label}
          marks={citation && column ? buildMarks(column.pointer, [citation], pageIndex) : []}
        />
      )}
      {column && isExtract && canReview(item) && job.data && !citation && (
        <p className={styles.note}>{t('The job has no source for this value.')}</p>
      )}
    </>
  );
}
