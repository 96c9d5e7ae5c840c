import { type ChangeObject, diffLines, diffWordsWithSpace } from 'diff';
import { useMemo } from 'react';
import { t } from '../../i18n/messages.ts';
import { Notice } from '../../ui/notice.tsx';
import view from './parse.module.css';

/** Maximum number of changed words or lines. Beyond, a comparison would take seconds and help nobody. */
const MAX_CHANGES = 4000;

/** Shows which words were added and removed. If too many differ, whole lines are compared. */
export default function Difference({ before, after }: { before: string; after: string }) {
  const parts = useMemo(() => {
    const limit = { maxEditLength: MAX_CHANGES };
    return diffWordsWithSpace(before, after, limit) ?? diffLines(before, after, limit);
  }, [before, after]);
  if (!parts)
    return (
      <Notice tone="warn" icon="compare" title={t('The pages have too little in common to be compared')} />
    );
  const words = (isCounted: (part: ChangeObject<string>) => boolean) =>
    parts.filter(isCounted).reduce((sum, { value }) => sum + (value.match(/\S+/g)?.length ?? 0), 0);
  const [added, removed] = [words((part) => part.added), words((part) => part.removed)];
  const isEqual = before === after;
  return (
    <>
      <p role="status">
        {isEqual
          ? t('A and B read the same text.')
          : t(
              '{added, plural, one {# word} other {# words}} only in B, {removed, plural, one {# word} other {# words}} only in A.',
              {
                added,
                removed,
              },
            )}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard */}
      <pre className={view.text} tabIndex={0}>
        {parts.map(({ value, added: isAdded, removed: isRemoved }, at) => {
          const Part = isAdded ? 'ins' : isRemoved ? 'del' : 'span';
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts have no other identity
          return <Part key={at}>{value}</Part>;
        })}
      </pre>
    </>
  );
}
