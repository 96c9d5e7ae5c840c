import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { deleteItem } from '../../api/deletions.ts';
import { useOptimisticMutation } from '../../api/optimistic.ts';
import { t } from '../../i18n/messages.ts';
import { useProjectId } from '../../shell/project.ts';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { Confirm, Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { ago } from '../../ui/format.ts';
import { Menu } from '../../ui/menu.tsx';
import { Loaded } from '../../ui/states.tsx';
import styles from './conversations.module.css';
import {
  type ChatSession,
  type Corpus,
  deleteSession,
  listSessions,
  renameSession,
  type SessionList,
} from './corpus.ts';

const STEP = 50;
const KEY = 'chat-sessions';

const getSessionName = ({ name, is_playground }: ChatSession) =>
  name ?? (is_playground ? t('Playground') : t('New conversation'));

/** Loads the conversations of the caller, newest first. */
export function useSessions(corpus: Corpus) {
  const [limit, setLimit] = useState(STEP);
  const project = useProjectId();
  const client = useQueryClient();
  const read = useQuery({
    queryKey: [KEY, project, corpus.kind, corpus.id, limit],
    queryFn: ({ signal }) => listSessions(corpus, limit, signal),
    placeholderData: keepPreviousData,
  });
  return {
    read,
    showMore: () => setLimit(limit + STEP),
    refresh: () => client.invalidateQueries({ queryKey: [KEY] }),
  };
}

export function Conversations({
  corpus,
  sessions: { read, showMore, refresh },
  chosen,
  onChoose,
}: {
  corpus: Corpus;
  sessions: ReturnType<typeof useSessions>;
  chosen: string | undefined;
  /**
   * Called when the user selects a conversation, with its id. Called with `undefined` when the user starts a
   * new conversation.
   */
  onChoose: (session: string | undefined) => void;
}) {
  const [renamed, setRenamed] = useState<ChatSession>();
  const [deleted, setDeleted] = useState<ChatSession>();
  const client = useQueryClient();
  const rename = useOptimisticMutation<{ id: string; name: string }>({
    name: 'rename-conversation',
    save: ({ id, name }) => renameSession(corpus, id, name),
    edits: [{ queryKey: [KEY], change: renameInList }],
    failed: t('The conversation could not be renamed'),
  });
  const remove = async ({ id }: ChatSession) => {
    const leave = () => id === chosen && onChoose(undefined);
    await deleteItem(client, { id, remove: () => deleteSession(corpus, id), leave });
    await refresh();
  };
  return (
    <nav className={styles.conversations} aria-label={t('Conversations')}>
      <Button icon="plus" onClick={() => onChoose(undefined)}>
        {t('New conversation')}
      </Button>
      <Loaded read={read} what={t('The conversations could not be read')} rows={3}>
        {({ sessions, total_count }) => (
          <>
            <ul className={styles.list}>
              {sessions.map((session) => (
                <li key={session.id} className={classes(styles.row, session.id === chosen && styles.chosen)}>
                  <button
                    type="button"
                    className={styles.name}
                    aria-current={session.id === chosen ? 'true' : undefined}
                    onClick={() => onChoose(session.id)}
                  >
                    <span dir="auto">{getSessionName(session)}</span>
                    <small>{ago(session.updated_at)}</small>
                  </button>
                  <Menu
                    label={t('Actions: {name}', { name: getSessionName(session) })}
                    writes={false}
                    items={[
                      { label: t('Rename'), icon: 'edit', onChoose: () => setRenamed(session) },
                      {
                        label: t('Delete'),
                        icon: 'trash',
                        danger: true,
                        onChoose: () => setDeleted(session),
                      },
                    ]}
                  />
                </li>
              ))}
            </ul>
            {total_count > sessions.length && (
              <Button small look="quiet" onClick={showMore} disabled={read.isFetching}>
                {t('Show more')}
              </Button>
            )}
          </>
        )}
      </Loaded>
      {renamed && (
        <Rename
          session={renamed}
          onRename={(name) => rename.mutate({ id: renamed.id, name })}
          onClose={() => setRenamed(undefined)}
        />
      )}
      {deleted && (
        <Confirm
          title={t('Delete this conversation?')}
          action={t('Delete')}
          onConfirm={() => remove(deleted)}
          onClose={() => setDeleted(undefined)}
        >
          {t('“{name}” and its answers will be deleted.', { name: getSessionName(deleted) })}
        </Confirm>
      )}
    </nav>
  );
}

const renameInList = (list: SessionList, { id, name }: { id: string; name: string }): SessionList => ({
  ...list,
  sessions: list.sessions.map((session) => (session.id === id ? { ...session, name } : session)),
});

function Rename({
  session,
  onRename,
  onClose,
}: {
  session: ChatSession;
  onRename: (name: string) => void;
  onClose: () => void;
}) {
  const [name, setName] = useState(getSessionName(session));
  const save = () => {
    if (!name.trim()) return;
    onRename(name.trim());
    onClose();
  };
  const actions = (
    <>
      <Button onClick={onClose}>{t('Cancel')}</Button>
      <Button look="primary" type="submit" disabled={!name.trim()}>
        {t('Rename')}
      </Button>
    </>
  );
  return (
    <Dialog title={t('Rename the conversation')} onClose={onClose} onSubmit={save} actions={actions}>
      <TextField
        label={t('Name')}
        value={name}
        maxLength={200}
        autoFocus
        onChange={(event) => setName(event.target.value)}
      />
    </Dialog>
  );
}
