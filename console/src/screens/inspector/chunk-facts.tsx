import { useAt } from '../../shell/link.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy.tsx';
import styles from './chunks.module.css';
import { plainOf } from './text.ts';
import type { Chunk } from './use-chunks.ts';

const REASONS: Record<string, string> = {
  text_document: 'It came as text, which has no pages.',
  no_pages: 'Its format has no pages.',
  not_parsed: 'The file has not been read with the settings of this index.',
  parsed_anew: 'The file reads otherwise now than when the chunk was made. A sync makes it anew.',
};
/** So much of a chunk makes a question. */
const QUESTION_CHARACTERS = 200;

/** What can be done with the chosen chunk, and what is known of it. */
export function ChunkFacts({ indexId, chunk }: { indexId: string; chunk: Chunk }) {
  const at = useAt();
  const { id_, text, extra_info, without_citations } = chunk;
  const question = plainOf(text ?? '')
    .replace(/\s+/g, ' ')
    .slice(0, QUESTION_CHARACTERS);
  const why = without_citations ? REASONS[without_citations] : undefined;
  return (
    <div className={styles.chosen}>
      <div className={styles.actions}>
        <ButtonLink small icon="search" to={at(`/indexes/${indexId}/playground`, { q: question })}>
          Ask about this chunk
        </ButtonLink>
        <CopyButton text={text ?? ''} label="Copy text of the chunk">
          Copy text
        </CopyButton>
        <CopyButton text={id_ ?? ''} label="Copy id of the chunk">
          Copy id
        </CopyButton>
      </div>
      {why && <p className={styles.why}>No place is marked: {why}</p>}
      {extra_info && Object.keys(extra_info).length > 0 && (
        <details>
          <summary>Metadata</summary>
          <dl className={styles.metadata}>
            {Object.entries(extra_info).map(([name, value]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{typeof value === 'string' ? value : JSON.stringify(value)}</dd>
              </div>
            ))}
          </dl>
        </details>
      )}
    </div>
  );
}
