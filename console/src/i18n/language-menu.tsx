import { useState } from 'react';
import { announce } from '../ui/announce.tsx';
import { Select } from '../ui/field.tsx';
import { changeLanguage, useLanguage } from './language.ts';
import { LANGUAGES, type LanguageCode } from './languages.ts';
import { t } from './messages.ts';

/** Names of the languages, each in its own language. */
const CHOICES = Object.entries(LANGUAGES).map(([value, { name, tag }]) => ({
  value,
  label: name,
  lang: tag,
}));

/** Lets the user choose the language of the console. */
export function LanguageMenu() {
  const language = useLanguage();
  const [isFailed, setFailed] = useState(false);
  const change = async (code: LanguageCode) => {
    try {
      await changeLanguage(code);
      setFailed(false);
      announce(t('The language was changed.'));
    } catch {
      setFailed(true);
    }
  };
  return (
    <Select
      label={t('Language')}
      hideLabel
      choices={CHOICES}
      value={language}
      onChange={({ target }) => void change(target.value as LanguageCode)}
      error={isFailed ? t('The language could not be loaded. Reload the page and try again.') : undefined}
    />
  );
}
