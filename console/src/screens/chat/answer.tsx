import { memo, useCallback, useDeferredValue, useMemo } from 'react';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy.tsx';
import { duration } from '../../ui/format.ts';
import { Icon } from '../../ui/icons.tsx';
import styles from './answer.module.css';
import { Markdown } from './markdown.tsx';
import {
  type AnswerState,
  type ChatMessage,
  getText,
  listDroppedCitations,
  listSources,
  type Source,
} from './messages.ts';
import { Sources } from './sources.tsx';

interface AnswerProps {
  message: ChatMessage;
  state: AnswerState;
  onOpen: (source: Source) => void;
  /** Generates the answer again. `undefined` while another answer is being generated. */
  onRegenerate?: ((messageId: string) => void) | undefined;
}

const END_NOTES: Partial<Record<AnswerState, string>> = {
  cut: 'Cut off here.',
  aborted: 'Stopped here.',
  failed: 'The answer failed here.',
  broken: 'The connection was lost. Reconnecting …',
};

/**
 * Shows one answer of a conversation, either live or stored. Memoized, because a conversation may contain
 * many answers.
 */
export const Answer = memo(function Answer({ message, state, onOpen, onRegenerate }: AnswerProps) {
  const text = getText(message);
  // Lets React render a long answer later than more urgent updates, such as typing.
  const shown = useDeferredValue(text);
  // While an answer streams, each received piece creates a new message object that has the same sources.
  const found = listSources(message);
  // biome-ignore lint/correctness/useExhaustiveDependencies: sources arrive at once and never change
  const sources = useMemo(() => found, [message.id, found.length]);
  const regenerate = useCallback(() => onRegenerate?.(message.id), [onRegenerate, message.id]);
  const end = END_NOTES[state];
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
            <Button small icon="retry" onClick={regenerate}>
              Try again
            </Button>
          )}
        </p>
      )}
      <DroppedCitations message={message} />
      {isOver && sources.length > 0 && <Sources message={message} sources={sources} onOpen={onOpen} />}
      {isOver && (
        <div className={styles.foot}>
          {text && (
            <CopyButton text={text} label="Copy the answer">
              Copy
            </CopyButton>
          )}
          {onRegenerate && state === 'complete' && (
            <Button small icon="retry" onClick={regenerate}>
              Regenerate
            </Button>
          )}
          <AnswerDetails message={message} />
        </div>
      )}
    </div>
  );
});

/** Lists citations that the service removed because the passage does not support the statement. */
function DroppedCitations({ message }: { message: ChatMessage }) {
  const dropped = listDroppedCitations(message);
  if (dropped.length === 0) return null;
  const one = dropped.length === 1;
  return (
    <details className={styles.notes}>
      <summary>
        {one
          ? '1 citation was removed because its passage does'
          : `${dropped.length} citations were removed because their passages do`}{' '}
        not support the statement
      </summary>
      <ul>
        {dropped.map(({ citation, statement, reason }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: entries may be identical and never move
          <li key={index}>
            [{citation}] “{statement}”: {reason}
          </li>
        ))}
      </ul>
    </details>
  );
}

/** Shows the model, the retrieval parameters and the latency of an answer. */
function AnswerDetails({ message: { metadata = {} } }: { message: ChatMessage }) {
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
        {Object.entries({ ...retrieval, ...formatLatency(latency) }).map(([name, value]) => (
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
          The built-in answerer quotes sentences of the passages. To get answers written by a language model,
          the operator sets <code>LLM_BASE_URL</code>.
        </p>
      )}
    </details>
  );
}

const formatLatency = ({ search, first_text }: { search?: number; first_text?: number } = {}) => ({
  ...(search !== undefined && { search: duration(search) }),
  ...(first_text !== undefined && { 'first text': duration(first_text) }),
});
