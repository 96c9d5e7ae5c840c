import { Badge } from '../../ui/badge.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { bytes, plural } from '../../ui/format.ts';
import { Table } from '../../ui/table.tsx';

interface Sample {
  name: string;
  path: string;
  size: number | null;
}

export interface ConnectionCheck {
  success: boolean;
  message: string;
  loc?: (string | number)[];
  sample?: Sample[];
}

/** How a try went. */
export function CheckResult({ check }: { check: ConnectionCheck }) {
  return (
    <div role="status">
      <p>
        {check.success ? (
          <Badge tone="good" icon="check">
            It works
          </Badge>
        ) : (
          <Badge tone="bad" icon="failed">
            It does not work
          </Badge>
        )}{' '}
        {check.message}
      </p>
      {check.sample && check.sample.length > 0 && (
        <>
          <p>{`The first ${plural(check.sample.length, 'file')} that a sync would list:`}</p>
          <Table
            label="Sample"
            columns={[
              { key: 'path', header: 'Path', cell: ({ path, name }) => path || name },
              { key: 'size', header: 'Size', number: true, cell: ({ size }) => bytes(size) },
            ]}
            rows={check.sample}
            keyOf={({ path, name }) => `${path}/${name}`}
          />
        </>
      )}
    </div>
  );
}

export const CheckDialog = ({ check, onClose }: { check: ConnectionCheck; onClose: () => void }) => (
  <Dialog title="Tried" onClose={onClose}>
    <CheckResult check={check} />
  </Dialog>
);
