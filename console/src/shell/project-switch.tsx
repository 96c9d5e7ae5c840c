import { useLocation } from 'wouter';
import { useApiQuery } from '../api/hooks.ts';
import { t } from '../i18n/messages.ts';
import { Select } from '../ui/field.tsx';
import { useProjectId } from './project.ts';
import { useSession } from './session.tsx';

/** Lets the user choose the current project. Choosing another project opens the list of its indexes. */
export function ProjectSwitch() {
  const { session } = useSession();
  const [, navigate] = useLocation();
  const chosen = useProjectId() ?? session.project_id ?? session.default_project.id;
  const { data: projects = [] } = useApiQuery('GET /api/v1/projects', {}, { staleTime: 60_000 });
  const known = projects.some(({ id }) => id === chosen);
  const choices = projects.map(({ id, name }) => ({ value: id, label: name }));
  if (!known) choices.unshift({ value: chosen, label: session.default_project.name });
  const change = (id: string) =>
    navigate(id === session.default_project.id ? '/indexes' : `/indexes?project_id=${id}`);
  return (
    <Select
      label={t('Project')}
      hideLabel
      choices={choices}
      value={chosen}
      disabled={session.project_id !== null}
      onChange={(event) => change(event.target.value)}
    />
  );
}
