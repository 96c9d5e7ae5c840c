import { Link } from 'wouter';
import type { Pipeline } from '../../api/types.ts';
import { useAt } from '../../shell/link.ts';
import { CopyButton } from '../../ui/copy.tsx';
import { moment } from '../../ui/format.ts';
import { Card } from '../../ui/page.tsx';
import { useEmbeddingName } from './connections.ts';
import { Facts } from './facts.tsx';
import { FileStates, type StateCounts } from './file-states.tsx';
import styles from './index.module.css';
import { describeTransform } from './transform.ts';

/** What an index holds, and what it is made of. */
export function Contents({ index, counts }: { index: Pipeline; counts: StateCounts }) {
  const at = useAt();
  const embedding = useEmbeddingName();
  return (
    <Card title="Contents" actions={<Link to={at(`/indexes/${index.id}/settings`)}>Settings</Link>}>
      <FileStates counts={counts} linkTo={(status) => at(`/indexes/${index.id}/files`, { status })} />
      <Facts
        facts={[
          ['Chunks', describeTransform(index.transform_config)],
          ['Embedding', embedding(index)],
          ['Kept in', index.data_sink?.name ?? 'Sluice itself'],
          ['Made', moment(index.created_at)],
          [
            'Id',
            <span key="id" className={styles.id}>
              <code>{index.id}</code> <CopyButton text={index.id} label="Copy the id of the index" />
            </span>,
          ],
        ]}
      />
    </Card>
  );
}
