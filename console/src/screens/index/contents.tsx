import { Link } from 'wouter';
import type { Pipeline } from '../../api/types.ts';
import { t } from '../../i18n/messages.ts';
import { useProjectPath } from '../../shell/project-path.ts';
import { CopyButton } from '../../ui/copy.tsx';
import { moment } from '../../ui/format.ts';
import { Card } from '../../ui/page.tsx';
import { useEmbeddingName } from './connections.ts';
import { Facts } from './facts.tsx';
import { FileStates, type StateCounts } from './file-states.tsx';
import styles from './index.module.css';
import { describeTransform } from './transform.ts';

/** Shows the number of files in an index and its main settings. */
export function Contents({ index, counts }: { index: Pipeline; counts: StateCounts }) {
  const pathTo = useProjectPath();
  const embedding = useEmbeddingName();
  return (
    <Card
      title={t('Contents')}
      actions={<Link to={pathTo(`/indexes/${index.id}/settings`)}>{t('Settings')}</Link>}
    >
      <FileStates counts={counts} linkTo={(status) => pathTo(`/indexes/${index.id}/files`, { status })} />
      <Facts
        facts={[
          [t('Chunks'), describeTransform(index.transform_config)],
          [t('Embedding'), embedding(index)],
          [t('Vector store'), index.data_sink?.name ?? t('Built-in index')],
          [t('Created'), moment(index.created_at)],
          [
            'ID',
            <span key="id" className={styles.id}>
              <code>{index.id}</code> <CopyButton text={index.id} label={t('Copy index ID')} />
            </span>,
          ],
        ]}
      />
    </Card>
  );
}
