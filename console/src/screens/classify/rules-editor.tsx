import { t } from '../../i18n/messages.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { TextArea, TextField } from '../../ui/field.tsx';
import { Card } from '../../ui/page.tsx';
import view from './classify.module.css';

export interface Rule {
  type: string;
  description: string;
}

export const EMPTY_RULE: Rule = { type: '', description: '' };

interface RulesEditorProps {
  rules: Rule[];
  onChange: (rules: Rule[]) => void;
  /** Returns the service's error message for a field of a rule. */
  findError: (index: number, member: keyof Rule) => string | undefined;
}

/** Edits the types of a classification with their descriptions. */
export function RulesEditor({ rules, onChange, findError }: RulesEditorProps) {
  return (
    <Card title={t('Types')}>
      {rules.map((rule, index) => (
        <fieldset
          // biome-ignore lint/suspicious/noArrayIndexKey: rules have no id and never move
          key={index}
          className={view.rule}
        >
          <legend className="visually-hidden">{t('Type {number}', { number: index + 1 })}</legend>
          <TextField
            label={t('Type {number}', { number: index + 1 })}
            value={rule.type}
            placeholder={t('invoice')}
            error={findError(index, 'type')}
            onChange={({ target }) => onChange(rules.with(index, { ...rule, type: target.value }))}
          />
          <TextArea
            label={t('Description of type {number}', { number: index + 1 })}
            rows={2}
            value={rule.description}
            placeholder={t('It asks for money, and has a number, a date and a total.')}
            error={findError(index, 'description')}
            onChange={({ target }) => onChange(rules.with(index, { ...rule, description: target.value }))}
          />
          <IconButton
            icon="trash"
            label={t('Remove type {number}', { number: index + 1 })}
            disabled={rules.length === 1}
            onClick={() => onChange(rules.toSpliced(index, 1))}
          />
        </fieldset>
      ))}
      <div>
        <Button icon="plus" onClick={() => onChange([...rules, EMPTY_RULE])}>
          {t('Add a type')}
        </Button>
      </div>
    </Card>
  );
}
