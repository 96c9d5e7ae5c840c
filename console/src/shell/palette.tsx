import { Autocomplete } from '@base-ui/react/autocomplete';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useDeferredValue, useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { call } from '../api/client.ts';
import { useApiQuery } from '../api/hooks.ts';
import { t } from '../i18n/messages.ts';
import { Icon, type IconName } from '../ui/icons.tsx';
import { useCan } from './can.ts';
import { getAdminItems, getMainItems } from './navigation-items.ts';
import styles from './palette.module.css';
import { useProjectId } from './project.ts';
import { useProjectPath } from './project-path.ts';
import { useSession } from './session.tsx';
import { setTheme } from './theme.ts';

interface Entry {
  /** Key that is unique among all entries. */
  value: string;
  label: string;
  icon: IconName;
  onChoose: () => void;
}

interface Group {
  label: string;
  items: Entry[];
}

/** Number of indexes and of files that are shown at once. */
const MAX_FOUND = 8;

/** Milliseconds after the last change of the text before files are searched. */
const PAUSE_MS = 200;

/**
 * Content of the command palette: searches pages, indexes, files and actions by their names, and opens or runs
 * the selected one.
 */
export default function Palette({
  onClose,
  onShowShortcuts,
}: {
  onClose: () => void;
  onShowShortcuts: () => void;
}) {
  const [text, setText] = useState('');
  const groups = useGroups(text, onClose, onShowShortcuts);
  return (
    <Autocomplete.Root
      inline
      open
      items={groups}
      filter={null}
      value={text}
      onValueChange={(typed, { reason }) => reason !== 'item-press' && setText(typed)}
      itemToStringValue={(entry: Entry) => entry.label}
      autoHighlight="always"
    >
      <Autocomplete.Input
        className={styles.input}
        aria-label={t('Search pages, indexes, files and actions')}
        placeholder={t('Search pages, indexes, files and actions')}
        dir="auto"
        autoFocus
        data-autofocus
        spellCheck={false}
      />
      <Autocomplete.Empty className={styles.empty}>{t('Nothing matches.')}</Autocomplete.Empty>
      <Autocomplete.List className={styles.list} aria-label={t('Results')}>
        {(group: Group) => (
          <Autocomplete.Group key={group.label} items={group.items}>
            <Autocomplete.GroupLabel className={styles.label}>{group.label}</Autocomplete.GroupLabel>
            <Autocomplete.Collection>
              {(entry: Entry) => (
                <Autocomplete.Item
                  key={entry.value}
                  value={entry}
                  className={styles.item}
                  onClick={entry.onChoose}
                >
                  <Icon name={entry.icon} size={16} />
                  <bdi>{entry.label}</bdi>
                </Autocomplete.Item>
              )}
            </Autocomplete.Collection>
          </Autocomplete.Group>
        )}
      </Autocomplete.List>
    </Autocomplete.Root>
  );
}

/** Returns the entries whose label contains all words of the text, in groups. Empty groups are left out. */
function useGroups(text: string, onClose: () => void, onShowShortcuts: () => void): Group[] {
  const [, navigate] = useLocation();
  const pathTo = useProjectPath();
  const { signOut } = useSession();
  const can = useCan();
  const search = useDeferredValue(text.trim());
  const words = search.toLowerCase().split(/\s+/);
  const matches = ({ label }: { label: string }) => words.every((word) => label.toLowerCase().includes(word));
  const run = (act: () => void) => () => {
    onClose();
    act();
  };
  const open = (path: string, query?: Record<string, string>) => run(() => navigate(pathTo(path, query)));
  const { data: indexes = [] } = useApiQuery('GET /api/v1/pipelines', {}, { staleTime: 30_000 });
  const files = useFoundFiles(text.trim());
  const action = (label: string, icon: IconName, act: () => void): Entry => ({
    ...{ value: `action ${label}`, label, icon },
    onChoose: act,
  });
  return [
    {
      label: t('Pages'),
      items: [...getMainItems(), ...getAdminItems(can)]
        .filter(matches)
        .map(({ to, label, icon }) => ({ value: to, label, icon, onChoose: open(to) })),
    },
    {
      label: t('Indexes'),
      items: indexes
        .map(({ id, name }) => ({ value: `index ${id}`, label: name, id }))
        .filter(matches)
        .slice(0, MAX_FOUND)
        .map(({ id, ...entry }) => ({ ...entry, icon: 'index' as const, onChoose: open(`/indexes/${id}`) })),
    },
    {
      label: t('Files'),
      items: files.map(({ id, name }) => ({
        ...{ value: `file ${id}`, label: name, icon: 'file' as const },
        onChoose: open(`/files/${id}`),
      })),
    },
    {
      label: t('Actions'),
      items: [
        action(t('New index'), 'plus', open('/indexes', { new: 'true' })),
        action(t('Parse a document'), 'parse', open('/parse')),
        action(t('Extract data'), 'extract', open('/extract')),
        action(t('Classify a document'), 'classify', open('/classify')),
        action(
          t('Theme: light'),
          'light',
          run(() => setTheme('light')),
        ),
        action(
          t('Theme: dark'),
          'dark',
          run(() => setTheme('dark')),
        ),
        action(
          t('Theme: system'),
          'settings',
          run(() => setTheme('system')),
        ),
        action(t('Keyboard shortcuts'), 'about', run(onShowShortcuts)),
        action(
          t('Sign out'),
          'leave',
          run(() => void signOut()),
        ),
      ].filter(matches),
    },
  ].filter(({ items }) => items.length > 0);
}

/** Returns the text as it was when the user last paused typing. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

/** Searches the files of the project by name. Returns nothing while no text is entered. */
function useFoundFiles(typed: string) {
  const project = useProjectId();
  const search = useSettled(typed);
  const { data } = useQuery({
    queryKey: ['palette-files', project, search],
    queryFn: ({ signal }) =>
      call('GET /api/v1/beta/files', { query: { name_contains: search, page_size: MAX_FOUND } }, signal),
    enabled: search !== '',
    placeholderData: keepPreviousData,
  });
  return typed === '' || search === '' ? [] : (data?.items ?? []);
}
