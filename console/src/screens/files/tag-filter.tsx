import { t } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { ToggleChips } from '../../ui/chips.tsx';
import { count } from '../../ui/format.ts';
import styles from './files.module.css';
import { useTags } from './use-labels.ts';

/** Highest number up to which the service counts the files of a tag. */
const MAX_COUNTED = 10_000;

const showCount = (files: number) =>
  files >= MAX_COUNTED ? t('{number} or more', { number: count(files) }) : count(files);

/** Filters the list by tags. A file must have all chosen tags. */
export function TagFilter({
  chosen,
  onChange,
}: {
  chosen: readonly string[];
  onChange: (tags: string[]) => void;
}) {
  const { items, readMore } = useTags();
  const known = items.map(({ tag, file_count }) => ({
    value: tag,
    label: `${tag} (${showCount(file_count)})`,
  }));
  // A chosen tag may be on a page that was not read, or belong to no file any more.
  const others = chosen.filter((tag) => !items.some((item) => item.tag === tag));
  if (known.length + others.length === 0) return null;
  return (
    <div className={styles.tags}>
      <ToggleChips
        label={t('Filter by tag')}
        chips={[...others.map((tag) => ({ value: tag, label: tag })), ...known]}
        chosen={chosen}
        onToggle={(tag) =>
          onChange(chosen.includes(tag) ? chosen.filter((each) => each !== tag) : [...chosen, tag])
        }
      />
      {readMore && (
        <Button small look="quiet" onClick={readMore}>
          {t('More tags')}
        </Button>
      )}
    </div>
  );
}
