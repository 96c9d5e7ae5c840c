import { memo, useCallback, useDeferredValue, useMemo } from 'react';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy.tsx';
import { duration } from '../../ui/format.ts';
import { Icon } from '../../ui/icons.tsx';
import styles from './answer.module.css';
import { Markdown } from './markdown.tsx';
import { type AnswerState, type ChatMessage, droppedOf, type Source, sourcesOf, textOf } from './messages.ts';
import { Sources } from './sources.tsx';

interface AnswerProps {
  message: ChatMessage;
  state: AnswerState;
  onOpen: (source: Source) => void;
  /** Asks its question once more; undefined while something is being answered. */
  onRegenerate?: ((messageId: string) => void) | undefined;
}

const ENDS: Partial<Record<AnswerState, string>> = {
  cut: 'Cut off here.',
  aborted: 'Stopped here.',
  failed: 'It failed here.',
  broken: 'The connection was lost. Reading the answer again …',
};

/** One answer, live or stored. Drawn anew only when it changes. */
export const Answer = memo(function Answer({ message, state, onOpen, onRegenerate }: AnswerProps) {
  const text = textOf(message);
  // Drawing a long text may wait for what is more urgent, as the next pieces of it.
  const shown = useDeferredValue(text);
  // While it streams, each piece makes a new message with the same sources.
  const found = sourcesOf(message);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is found comes at once, and then stays
  const sources = useMemo(() => found, [message.id, found.length]);
  const again = useCallback(() => onRegenerate?.(message.id), [onRegenerate, message.id]);
  const end = ENDS[state];
  const isOver = state !== 'streaming' && state !== 'broken';
  return (
    <div className={styles.answer}>
      {text ? (
        <Markdown text={shown} sources={sources} onOpen={onOpen} />
      ) : (
        state === 'streaming' && (
          <p className={styles.thinking}>{sources.length > 0 ? 'Writing …' : 'Searching …'}</p>
        )
      )}
      {end && (
        <p className={styles.end}>
          <Icon name="warning" size={16} />
          {end}
          {isOver && onRegenerate && (
            <Button small icon="retry" onClick={again}>
              Try again
            </Button>
          )}
        </p>
      )}
      <Dropped message={message} />
      {isOver && sources.length > 0 && <Sources message={message} sources={sources} onOpen={onOpen} />}
      {isOver && (
        <div className={styles.foot}>
          {text && (
            <CopyButton text={text} label="Copy the answer">
              Copy
            </CopyButton>
          )}
          {onRegenerate && state === 'complete' && (
            <Button small icon="retry" onClick={again}>
              Regenerate
            </Button>
          )}
          <About message={message} />
        </div>
      )}
    </div>
  );
});

/** Citations that the service took out, because their passages do not bear them out. */
function Dropped({ message }: { message: ChatMessage }) {
  const dropped = droppedOf(message);
  if (dropped.length === 0) return null;
  const one = dropped.length === 1;
  return (
    <details className={styles.notes}>
      <summary>
        {one ? 'A citation was' : `${dropped.length} citations were`} taken out: the passage does not say so
      </summary>
      <ul>
        {dropped.map(({ citation, statement, reason }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the same may be dropped twice, and none moves
          <li key={index}>
            [{citation}] “{statement}”: {reason}
          </li>
        ))}
      </ul>
    </details>
  );
}

/** Which model answered, how it was searched, and how long that took. */
function About({ message: { metadata = {} } }: { message: ChatMessage }) {
  const { model, retrieval = {}, latency, warnings = [] } = metadata;
  const facts = [
    model,
    retrieval.retrieval_mode,
    retrieval.alpha && `alpha ${retrieval.alpha}`,
    latency?.total !== undefined && duration(latency.total),
  ].filter(Boolean);
  if (facts.length === 0) return null;
  return (
    <details className={styles.about}>
      <summary>{facts.join(' · ')}</summary>
      <dl>
        {Object.entries({ ...retrieval, ...secondsOf(latency) }).map(([name, value]) => (
          <div key={name}>
            <dt>{name.replaceAll('_', ' ')}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {warnings.map((warning) => (
        <p key={warning}>{warning}</p>
      ))}
      {model?.startsWith('builtin/') && (
        <p>
          The built-in answerer quotes sentences of the passages. For answers in a model’s own words, the
          operator sets <code>LLM_BASE_URL</code>.
        </p>
      )}
    </details>
  );
}

const secondsOf = ({ search, first_text }: { search?: number; first_text?: number } = {}) => ({
  ...(search !== undefined && { search: duration(search) }),
  ...(first_text !== undefined && { 'first words': duration(first_text) }),
});
