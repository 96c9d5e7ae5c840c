import styles from './chips.module.css';

/** Selects one of a few options, each shown as a toggle button. */
export function Chips({
  label,
  chips,
  chosen,
  onChoose,
}: {
  label: string;
  chips: readonly { value: string; label: string }[];
  chosen: string;
  onChoose: (value: string) => void;
}) {
  return (
    <fieldset className={styles.chips}>
      <legend className="visually-hidden">{label}</legend>
      {chips.map(({ value, label: word }) => (
        <button
          key={value}
          type="button"
          className={styles.chip}
          aria-pressed={value === chosen}
          onClick={() => onChoose(value)}
        >
          {word}
        </button>
      ))}
    </fieldset>
  );
}

/** Selects any number of options, each shown as a toggle button. */
export function ToggleChips({
  label,
  chips,
  chosen,
  onToggle,
}: {
  label: string;
  chips: readonly { value: string; label: string }[];
  chosen: readonly string[];
  onToggle: (value: string) => void;
}) {
  return (
    <fieldset className={styles.chips}>
      <legend className="visually-hidden">{label}</legend>
      {chips.map(({ value, label: word }) => (
        <button
          key={value}
          type="button"
          dir="auto"
          className={styles.chip}
          aria-pressed={chosen.includes(value)}
          onClick={() => onToggle(value)}
        >
          {word}
        </button>
      ))}
    </fieldset>
  );
}
