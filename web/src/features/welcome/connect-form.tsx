// Connects one client: shows what changes in its configuration, writes it, and says what to do next.
import { type FormEvent, useMemo } from "react";

import type { ClientPreview, ClientRow } from "@/api/types";
import { useAction, useTool } from "@/api/use-tool";
import { DiffLines } from "@/features/shell/changes/diff-lines";
import { parseDiff } from "@/features/shell/changes/parse-diff";
import { CancelButton, FormFooter } from "@/ui/form";
import { plural } from "@/ui/format";
import { Loaded } from "@/ui/query-states";

interface ConnectFormProps {
  client: ClientRow;
  close: () => void;
  connected: () => void;
}

export function ConnectForm({ client, close, connected }: ConnectFormProps) {
  const preview = useTool("client_preview", { client: client.name });
  const connect = useAction("client_connect");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    connect.mutate(
      { client: client.name, digest: preview.data?.digest ?? "" },
      { onSuccess: connected, onError: () => void preview.refetch() },
    );
  };
  if (connect.data !== undefined)
    return (
      <div className="form">
        <h2 id={`connect-${client.name}`}>{client.title} is connected</h2>
        <p role="status">
          A test of the connection listed {plural(connect.data.tools.length, "tool")}.{" "}
          {connect.data.next_step ?? "Restart the client, then give it something to do."}
        </p>
        <div className="actions">
          <CancelButton cancel={close} word="Done" />
        </div>
      </div>
    );
  return (
    <form className="form connect-form" onSubmit={submit}>
      <h2 id={`connect-${client.name}`}>Connect {client.title}</h2>
      <Loaded query={preview} what="the preview" rows={3}>
        {(data) => <Preview preview={data} />}
      </Loaded>
      <FormFooter
        act={actOf(preview.data, connect.isPending)}
        off={preview.data === undefined || connect.isPending}
        error={connect.error}
        cancel={close}
      />
    </form>
  );
}

function actOf(preview: ClientPreview | undefined, pending: boolean): string {
  if (pending) return "Connecting…";
  return preview?.files.length === 0 ? "Test the connection" : "Write this and connect";
}

function Preview({ preview }: { preview: ClientPreview }) {
  if (preview.files.length === 0) return <p>Its configuration is up to date. Nothing will be written.</p>;
  return (
    <>
      <p className="quiet">
        This is added for all your projects. Everything else in the file stays, and a copy is kept.
      </p>
      {preview.files.map((file) => (
        <ChangedFile key={file.path} path={file.path} change={file.change} diff={file.diff} />
      ))}
    </>
  );
}

function ChangedFile({ path, change, diff }: { path: string; change: string; diff: string }) {
  const lines = useMemo(() => parseDiff(diff), [diff]);
  return (
    <div className="changed-file">
      <p>
        <code>{path}</code> <span className="quiet">{change === "created" ? "new file" : change}</span>
      </p>
      <DiffLines path={path} lines={lines} />
    </div>
  );
}
