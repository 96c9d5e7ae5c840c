import { memo, useCallback, useDeferredValue, useMemo } from 'react';
import { useLanguage } from '../../i18n/language.ts';
import { rich, t } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy.tsx';
import { duration } from '../../ui/format.ts';
import { Icon } from '../../ui/icons.tsx';
import styles from './answer.module.css';
import { Feedback } from './feedback.tsx';
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

const getEndNotes = (): Partial<Record<AnswerState, string>> => ({
  cut: t('Cut off here.'),
  aborted: t('Stopped here.'),
  failed: t('The answer failed here.'),
  broken: t('The connection was lost. Reconnecting …'),
});

/**
 * Shows one answer of a conversation, either live or stored. Memoized, because a conversation may contain
 * many answers.
 */
export const Answer = memo(function Answer({ message, state, onOpen, onRegenerate }: AnswerProps) {
  useLanguage();
  const text = getText(message);
  // Lets React render a long answer later than more urgent updates, such as typing.
  const shown = useDeferredValue(text);
  // While an answer streams, each received piece creates a new message object that has the same sources.
  const found = listSources(message);
  // biome-ignore lint/correctness/useExhaustiveDependencies: sources arrive at once and never change
  const sources = useMemo(() => found, [message.id, found.length]);
  const regenerate = useCallback(() => onRegenerate?.(message.id), [onRegenerate, message.id]);
  const end = getEndNotes()[state];
  const isOver = state !== 'streaming' && state !== 'broken';
  return (
    <div className={styles.answer}>
      {text ? (
        <Markdown text={shown} sources={sources} onOpen={onOpen} />
      ) : (
        state === 'streaming' && (
          <p className={styles.thinking}>{sources.length > 0 ? t('Writing …') : t('Searching …')}</p>
        )
      )}
      {end && (
        <p className={styles.end}>
          <Icon name="warning" size={16} />
          {end}
          {isOver && onRegenerate && (
            <Button small icon="retry" onClick={regenerate}>
              {t('Try again')}
            </Button>
          )}
        </p>
      )}
      <DroppedCitations message={message} />
      {isOver && sources.length > 0 && <Sources message={message} sources={sources} onOpen={onOpen} />}
      {isOver && (
        <div className={styles.foot}>
          {text && (
            <CopyButton text={text} label={t('Copy the answer')}>
              {t('Copy')}
            </CopyButton>
          )}
          {onRegenerate && state === 'complete' && (
            <Button small icon="retry" onClick={regenerate}>
              {t('Regenerate')}
            </Button>
          )}
          {text && message.metadata?.message_id && (
            <Feedback id={message.metadata.message_id} given={message.metadata.rating} />
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

  return (
    <details className={styles.notes}>
      <summary>
        {t(
          '{count, plural, one {# citation was removed because its passage does not support the statement} other {# citations were removed because their passages do not support the statement}}',
          { count: dropped.length },
        )}
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
    retrieval.alpha && t('alpha {alpha}', { alpha: retrieval.alpha }),
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
          {rich(
            'The built-in answerer quotes sentences of the passages. To get answers written by a language model, the operator sets <code>LLM_BASE_URL</code>.',
            { code: (chunks) => <code>{chunks}</code> },
          )}
        </p>
      )}
    </details>
  );
}

const formatLatency = ({ search, first_text }: { search?: number; first_text?: number } = {}) => ({
  ...(search !== undefined && { search: duration(search) }),
  ...(first_text !== undefined && { 'first text': duration(first_text) }),
});
