// Getting started: connect an installed client, give it work, see its first call arrive, or watch the demo.
import { Card, CopyableCommand } from "@/ui/basics";
import { ConnectClients } from "./connect-clients";
import { FirstCall } from "./first-call";
import "./welcome.css";

const PROMPTS = [
  "Plan this as a mission with Mission Control, then do it: ",
  "Look at the inbox and the ready tasks of my mission, and take the next one.",
];

export function WelcomePage() {
  return (
    <div className="page welcome">
      <title>Connect an agent · Mission Control</title>
      <div className="page-head">
        <h1>Connect an agent</h1>
      </div>
      <ConnectClients />
      <Card title="2. Put it to work">
        <p className="side-words">Restart the client in one of your repositories and paste a prompt:</p>
        {PROMPTS.map((prompt) => (
          <CopyableCommand key={prompt} command={prompt} />
        ))}
      </Card>
      <FirstCall />
      <Card title="Or watch the demo first">
        <p className="side-words">
          Five scripted agents build a small program in a scratch repository. It takes about a minute, needs nothing but
          git, and asks you a question on this page. Run it in a shell:
        </p>
        <CopyableCommand command="mission demo" />
      </Card>
    </div>
  );
}
