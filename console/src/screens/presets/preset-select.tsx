import { t } from '../../i18n/messages.ts';
import { Select } from '../../ui/field.tsx';
import type { Preset } from './presets.ts';

/** Value of the choice for parameters that belong to no preset. */
const CUSTOM = 'custom';

/** Chooses a preset of the index, or the defaults of the index. */
export function PresetSelect({
  presets,
  chosen,
  isChanged,
  onChoose,
}: {
  presets: Preset[];
  /** Id of the chosen preset. */
  chosen: string | undefined;
  /** True if the parameters differ from the chosen preset, or from the defaults of the index. */
  isChanged: boolean;
  onChoose: (preset: Preset | undefined) => void;
}) {
  const preset = presets.find(({ id }) => id === chosen);
  const isCustom = !preset && isChanged;
  const choices = [
    ...(isCustom ? [{ value: CUSTOM, label: t('Custom') }] : []),
    { value: '', label: t('Index default') },
    ...presets.map(({ id, name, is_default }) => ({
      value: id,
      label: is_default ? t('{name} (default)', { name }) : name,
    })),
  ];
  return (
    <Select
      label={t('Preset')}
      value={preset?.id ?? (isCustom ? CUSTOM : '')}
      choices={choices}
      hint={preset && isChanged ? t('Parameters differ from this preset.') : undefined}
      onChange={({ target: { value } }) => {
        if (value !== CUSTOM) onChoose(presets.find(({ id }) => id === value));
      }}
    />
  );
}
