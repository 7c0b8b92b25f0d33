// Plans that can be used again: fill in the variables, and a mission is made.
import { useState, type FormEvent } from "react";
import { useNavigate } from "react-router";

import { useAction, useTool } from "@/api/queries";
import type { TemplateSummary } from "@/api/types";
import { useOnline } from "@/live/live";
import { Card } from "@/ui/parts";
import { Empty, Loaded } from "@/ui/states";
import { plural } from "@/ui/text";
import "./templates.css";

export function TemplatesPage() {
  const templates = useTool("template_list", {});
  return (
    <div className="page">
      <title>Templates · Mission Control</title>
      <div className="page-head">
        <h1>Templates</h1>
      </div>
      <Loaded query={templates} what="The templates could not be read">
        {(data) =>
          data.templates.length === 0 ? (
            <section className="card">
              <Empty title="No template yet" actions={<code>template_create</code>}>
                A template is a plan with blanks. An agent or a program makes one, or a repository carries it; here it is applied by a form.
              </Empty>
            </section>
          ) : (
            <div className="templates">
              {data.templates.map((template) => (
                <Template key={template.id} template={template} />
              ))}
            </div>
          )
        }
      </Loaded>
    </div>
  );
}

function Template({ template }: { template: TemplateSummary }) {
  const [open, setOpen] = useState(false);
  return (
    <Card title={template.name} aside={plural(template.tasks_total, "task")}>
      <div className="template">
        {template.description !== null && <p className="quiet">{template.description}</p>}
        {open ? (
          <Apply template={template} />
        ) : (
          <button type="button" className="button" onClick={() => setOpen(true)}>
            Apply it
          </button>
        )}
      </div>
    </Card>
  );
}

function Apply({ template }: { template: TemplateSummary }) {
  const apply = useAction("template_apply");
  const online = useOnline();
  const navigate = useNavigate();
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    const variables = Object.fromEntries(template.variables.map((each) => [each.name, String(fields.get(`v:${each.name}`) ?? "")]));
    apply.mutate(
      { template_id: template.id, workflow_name: String(fields.get("name")), variables },
      { onSuccess: (made) => void navigate(`/missions/${made.workflow_id}`) },
    );
  };
  return (
    <form onSubmit={send}>
      <label>
        Name of the mission
        <input className="field" name="name" required maxLength={200} defaultValue={template.name} />
      </label>
      {template.variables.map((each) => (
        <label key={each.name}>
          {each.description || each.name}
          <input className="field" name={`v:${each.name}`} required={each.required} defaultValue={each.default ?? ""} />
        </label>
      ))}
      <button className="button primary" disabled={!online || apply.isPending}>
        Make the mission
      </button>
      {apply.error !== null && (
        <p className="wrong" role="alert">
          {apply.error.message} {apply.error.hint}
        </p>
      )}
    </form>
  );
}
