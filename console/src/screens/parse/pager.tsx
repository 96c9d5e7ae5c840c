import { t } from '../../i18n/messages.ts';
import { useShortcuts } from '../../shell/shortcuts.tsx';
import { IconButton } from '../../ui/button.tsx';
import { Select } from '../../ui/field.tsx';
import view from './parse.module.css';

interface PagerProps {
  /** One-based numbers of the parsed pages. */
  numbers: number[];
  /** Zero-based position of the shown page in the list `numbers`. */
  at: number;
  onGo: (number: number) => void;
}

/** Page navigation with buttons and the keys [ and ]. */
export function Pager({ numbers, at, onGo }: PagerProps) {
  const go = (to: number) => {
    const number = numbers[to];
    if (number !== undefined) onGo(number);
  };
  useShortcuts({ '[': () => go(at - 1), ']': () => go(at + 1) });
  return (
    <div className={view.pager}>
      <IconButton icon="left" label={t('Previous page')} disabled={at === 0} onClick={() => go(at - 1)} />
      <Select
        label={t('Page')}
        hideLabel
        value={String(numbers[at])}
        choices={numbers.map((number) => ({
          value: String(number),
          label: t('Page {page} of {total}', { page: number, total: numbers.at(-1) ?? number }),
        }))}
        onChange={({ target }) => onGo(Number(target.value))}
      />
      <IconButton
        icon="right"
        label={t('Next page')}
        disabled={at === numbers.length - 1}
        onClick={() => go(at + 1)}
      />
    </div>
  );
}
