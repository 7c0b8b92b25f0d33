// The exact commands that an agent proposed as checks, for a person to approve.
import type { ProposedCommand } from "@/api/types";
import { useTool } from "@/api/use-tool";
import { span } from "@/ui/format";
import { Loaded } from "@/ui/query-states";

export function ProposedCommands({ itemId }: { itemId: string }) {
  const found = useTool("overview_proposed_checks", { item_id: itemId });
  return (
    <Loaded query={found} what="the commands" rows={2}>
      {(data) => (
        <>
          <p className="item-text">
            An agent proposed these commands as checks. Approved commands run on this machine under your account each
            time a task is reported done.
          </p>
          <ol className="proposed">
            {data.commands.map((command) => (
              <li key={`${command.name} ${command.run}`}>
                <Command command={command} />
              </li>
            ))}
          </ol>
        </>
      )}
    </Loaded>
  );
}

function Command({ command }: { command: ProposedCommand }) {
  const variables = Object.entries(command.env);
  return (
    <>
      <div className="meta">
        <strong>{command.name}</strong> {command.required ? "required" : "optional"} · at most {span(command.seconds)}
        {command.tasks.length > 0 && ` · for ${command.tasks.join(", ")}`}
      </div>
      <pre className="check-output" tabIndex={0} role="region" aria-label={`Command for ${command.name}`} data-scrolls>
        {variables.map(([name, value]) => (
          <span key={name} className="variable">
            {name}={JSON.stringify(value)}
            {"\n"}
          </span>
        ))}
        {command.run}
      </pre>
    </>
  );
}
