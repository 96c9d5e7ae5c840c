import { Combobox as Base } from '@base-ui/react/combobox';
import { useRef } from 'react';
import { t } from '../i18n/messages.ts';
import styles from './combobox.module.css';
import field from './field.module.css';
import { type Choice, Field } from './field.tsx';
import { findOverlayRoot } from './overlays/root.ts';

interface ComboboxProps {
  label: string;
  hint?: string;
  error?: string | undefined;
  optional?: boolean;
  hideLabel?: boolean;
  placeholder?: string;
  choices: readonly Choice[];
  /** Value of the selected choice, or `undefined` if none is selected. */
  value: string | undefined;
  onChoose: (value: string | undefined) => void;
  /**
   * Called with the typed text, for choices that the service searches. If absent, the choices are filtered by
   * their labels.
   */
  onSearch?: (text: string) => void;
}

/**
 * Field that selects one of many choices, which typing filters. `Select` is better for a few choices. Screens
 * that use it are loaded on demand, because the code is too large for the initial bundle.
 */
export function Combobox({ choices, value, onChoose, onSearch, placeholder, ...props }: ComboboxProps) {
  const input = useRef<HTMLInputElement>(null);
  const selected = choices.find((choice) => choice.value === value) ?? null;
  return (
    <Base.Root
      items={choices as Choice[]}
      value={selected}
      onValueChange={(choice: Choice | null) => onChoose(choice?.value)}
      onInputValueChange={(text, { reason }) => reason === 'input-change' && onSearch?.(text)}
      isItemEqualToValue={(a: Choice, b: Choice) => a.value === b.value}
      itemToStringLabel={(choice: Choice) => choice.label}
      {...(onSearch && { filter: null })}
      autoHighlight
    >
      <Field {...props}>
        {(controlProps) => (
          <Base.Input
            {...controlProps}
            ref={input}
            placeholder={placeholder}
            dir="auto"
            autoComplete="off"
            className={field.control}
          />
        )}
      </Field>
      <Base.Portal container={input.current ? findOverlayRoot(input.current) : undefined}>
        <Base.Positioner
          positionMethod="fixed"
          sideOffset={4}
          collisionPadding={8}
          className={styles.positioner}
        >
          <Base.Popup className={styles.popup}>
            <Base.Empty className={styles.empty}>{t('Nothing matches.')}</Base.Empty>
            <Base.List className={styles.list} aria-label={props.label}>
              {(choice: Choice) => (
                <Base.Item key={choice.value} value={choice} className={styles.item} dir="auto">
                  {choice.label}
                </Base.Item>
              )}
            </Base.List>
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
