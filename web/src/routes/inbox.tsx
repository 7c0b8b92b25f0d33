// All that waits for a person.
import { InboxPage } from "@/features/inbox/inbox-page";

export default InboxPage;
