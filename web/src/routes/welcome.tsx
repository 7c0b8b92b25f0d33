// The first minutes.
import { WelcomePage } from "@/features/welcome/welcome-page";

export default WelcomePage;
