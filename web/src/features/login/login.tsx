// Shown when the browser has no session: how to get one.
import { useState } from "react";

import { setSignedIn } from "@/api/session";
import { Icon } from "@/ui/icons";

export function Login() {
  const over = new URLSearchParams(location.search).get("code") === "over";
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText("mission open");
    setCopied(true);
  };
  return (
    <main className="login">
      <div className="card">
        <h1>
          <Icon name="logo" size={20} /> Mission Control
        </h1>
        <p role={over ? "alert" : undefined}>
          {over
            ? "That address was used already, or is older than two minutes."
            : "This browser is not signed in. Missions are shown to their owner only."}
        </p>
        <p>Run this in a shell. It opens the page, signed in:</p>
        <pre>mission open</pre>
        <div className="actions">
          <button type="button" className="button primary" onClick={() => void copy()}>
            {copied ? "Copied" : "Copy the command"}
          </button>
          <button type="button" className="button" onClick={() => leave()}>
            I have signed in
          </button>
        </div>
        <p className="meta">Without a screen, <code>mission open --print</code> prints an address that works once.</p>
      </div>
    </main>
  );
}

function leave(): void {
  setSignedIn(true);
  location.assign("/");
}
