import { useApiQuery } from '../../../api/hooks.ts';
import { t } from '../../../i18n/messages.ts';
import { Select } from '../../../ui/field.tsx';
import { moment } from '../../../ui/format.ts';
import type { TruthSet } from './operations.ts';

const PRODUCTS = { extraction: 'extract_v2', classification: 'classify_v2' } as const;

interface SavedConfigurationProps {
  kind: TruthSet['kind'];
  value: string;
  onChoose: (id: string) => void;
  /** Label of the choice without a saved configuration. */
  none: string;
}

/** Selects a saved configuration of an extraction or classification. */
export function SavedConfiguration({ kind, value, onChoose, none }: SavedConfigurationProps) {
  const read = useApiQuery('GET /api/v1/beta/configurations', {
    query: { product_type: [PRODUCTS[kind]], page_size: 100 },
  });
  const saved = read.data?.items ?? [];
  return (
    <Select
      label={t('Saved configuration')}
      value={value}
      choices={[
        { value: '', label: none },
        ...saved.map(({ id, name, version }) => ({ value: id, label: `${name}, ${moment(version)}` })),
      ]}
      onChange={({ target }) => onChoose(target.value)}
    />
  );
}
